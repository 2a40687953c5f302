//! The log: lines on stderr as hclog writes them in JSON, so that Terraform takes level and module
//! from them and shows the rest as fields (A6).
//!
//! Silent unless asked, as providers are. Values of a configuration never belong in an event.

use std::fmt;
use std::io::Write;
use std::panic::PanicHookInfo;

use serde_json::{Map, Value};
use time::OffsetDateTime;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use super::Environment;

/// Targets of our own events begin with this.
const OURS: &str = "eksaddon";

/// The variables that name a level; the first that is set decides.
const VARIABLES: [&str; 3] = ["TF_LOG_PROVIDER_EKSADDON", "TF_LOG_PROVIDER", "TF_LOG"];

/// The level that the environment asks for.
#[must_use]
pub fn level(environment: &Environment) -> LevelFilter {
    let asked = VARIABLES.into_iter().find_map(|name| environment.get(name));
    match asked.map(str::to_ascii_uppercase).as_deref() {
        None | Some("OFF") => LevelFilter::OFF,
        Some("ERROR") => LevelFilter::ERROR,
        Some("WARN") => LevelFilter::WARN,
        Some("INFO") => LevelFilter::INFO,
        Some("DEBUG") => LevelFilter::DEBUG,
        // JSON is trace in another form, and a level it does not know is trace to Terraform.
        Some(_) => LevelFilter::TRACE,
    }
}

/// Sends the events of the process to stderr, and panics too: Terraform would show the raw text of
/// one as a crash, while the user gets a diagnostic.
pub fn start(level: LevelFilter) {
    std::panic::set_hook(Box::new(log_panic));
    if level != LevelFilter::OFF {
        let subscriber = tracing_subscriber::registry().with(Stderr { level });
        // Fails only if a log has been started already, which then goes on.
        let _ = tracing::subscriber::set_global_default(subscriber);
    }
}

/// Logged at every level, since it is always a bug.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let mut line = Line::new(Level::ERROR, "eksaddon.panic");
    let text = panic.payload_as_str().unwrap_or("a panic without a message");
    line.0.insert("@message".into(), text.into());
    if let Some(location) = panic.location() {
        line.0.insert("location".into(), location.to_string().into());
    }
    line.write();
}

struct Stderr {
    level: LevelFilter,
}

impl Stderr {
    /// Other crates speak only when something is wrong: gRPC's frames are not for users.
    fn wants(&self, metadata: &Metadata<'_>) -> bool {
        let ours = metadata.target().starts_with(OURS);
        *metadata.level() <= self.level && (ours || *metadata.level() <= Level::WARN)
    }
}

impl<S: Subscriber> Layer<S> for Stderr {
    fn enabled(&self, metadata: &Metadata<'_>, _context: Context<'_, S>) -> bool {
        self.wants(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let metadata = event.metadata();
        let mut line = Line::new(*metadata.level(), &metadata.target().replace("::", "."));
        event.record(&mut line);
        line.write();
    }
}

/// One line of the log. The names with `@` are hclog's; they sort first.
struct Line(Map<String, Value>);

impl Line {
    fn new(level: Level, module: &str) -> Self {
        let level = level.as_str().to_ascii_lowercase();
        let fields = [("@level", level), ("@module", module.to_owned()), ("@timestamp", timestamp())];
        Self(fields.into_iter().map(|(name, value)| (name.to_owned(), Value::String(value))).collect())
    }

    fn insert(&mut self, field: &Field, value: Value) {
        let name = if field.name() == "message" { "@message" } else { field.name() };
        self.0.insert(name.to_owned(), value);
    }

    /// In one piece, so that lines of several threads do not mix. If nobody reads stderr there is
    /// nobody to tell.
    fn write(self) {
        let mut text = Value::Object(self.0).to_string();
        text.push('\n');
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.insert(field, format!("{value:?}").into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.insert(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.insert(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.insert(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.insert(field, value.into());
    }
}

/// The time in hclog's form, RFC 3339 with microseconds.
fn timestamp() -> String {
    let now = OffsetDateTime::now_utc();
    let (date, (hour, minute, second, micro)) = (now.date(), now.to_hms_micro());
    let (year, month, day) = (date.year(), u8::from(date.month()), date.day());
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micro:06}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_variable_decides() {
        let check = |variables: &[(&str, &str)], expect: LevelFilter| {
            assert_eq!(level(&variables.iter().copied().collect()), expect, "{variables:?}");
        };
        check(&[], LevelFilter::OFF);
        check(&[("TF_LOG", "info")], LevelFilter::INFO);
        check(&[("TF_LOG", "JSON")], LevelFilter::TRACE);
        check(&[("TF_LOG", "TRACE"), ("TF_LOG_PROVIDER", "WARN")], LevelFilter::WARN);
        check(&[("TF_LOG_PROVIDER", "WARN"), ("TF_LOG_PROVIDER_EKSADDON", "off")], LevelFilter::OFF);
        check(&[("TF_LOG_PROVIDER", "loud")], LevelFilter::TRACE);
    }

    #[test]
    fn a_line_is_what_hclog_parses() {
        let line = Line::new(Level::WARN, "eksaddon.plugin");
        let json = Value::Object(line.0).to_string();
        assert!(
            json.starts_with(r#"{"@level":"warn","@module":"eksaddon.plugin","@timestamp":"20"#),
            "{json}"
        );
        assert_eq!(timestamp().len(), "2006-01-02T15:04:05.000000Z".len());
    }
}
