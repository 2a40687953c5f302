//! Terraform's messages and [`tf`](crate::tf)'s words, into each other.

mod schema;

use super::proto::tfplugin6 as wire;
use super::proto::tfplugin6::attribute_path::{Step as WireStep, step::Selector};
use super::proto::tfplugin6::diagnostic::Severity as WireSeverity;
use crate::tf::{Diagnostic, Diagnostics, Path, Severity, Step, Type, Value, json, msgpack};

pub(crate) use schema::schema;

/// The value that a request carries: MessagePack if there is any, else JSON, else null (C1).
///
/// # Errors
/// Bytes that are not a value of `ty`, in words.
pub(crate) fn value(wire: Option<wire::DynamicValue>, ty: &Type) -> Result<Value, String> {
    let wire = wire.unwrap_or_default();
    if !wire.msgpack.is_empty() {
        msgpack::decode(&wire.msgpack, ty).map_err(|error| error.to_string())
    } else if !wire.json.is_empty() {
        let json = serde_json::from_slice(&wire.json).map_err(|error| error.to_string())?;
        json::decode(&json, ty).map_err(|error| error.0)
    } else {
        Ok(Value::Null)
    }
}

/// The value for a response, always MessagePack (C2).
///
/// # Errors
/// A value that is not of type `ty`, in words.
pub(crate) fn dynamic_value(value: &Value, ty: &Type) -> Result<wire::DynamicValue, String> {
    let msgpack = msgpack::encode(value, ty).map_err(|error| error.to_string())?;
    Ok(wire::DynamicValue { msgpack, json: Vec::new() })
}

/// Diagnostics for a response, in order.
pub(crate) fn diagnostics(diagnostics: Diagnostics) -> Vec<wire::Diagnostic> {
    diagnostics.into_iter().map(diagnostic).collect()
}

fn diagnostic(diagnostic: Diagnostic) -> wire::Diagnostic {
    let Diagnostic { severity, summary, detail, path } = diagnostic;
    let severity = match severity {
        Severity::Error => WireSeverity::Error,
        Severity::Warning => WireSeverity::Warning,
    };
    // An empty path would point at the block; without one Terraform points there as well.
    let attribute = (!path.0.is_empty()).then(|| attribute_path(path));
    wire::Diagnostic { severity: severity.into(), summary, detail, attribute }
}

fn attribute_path(path: Path) -> wire::AttributePath {
    let selector = |step| match step {
        Step::Attribute(name) => Selector::AttributeName(name),
        Step::Key(key) => Selector::ElementKeyString(key),
        // No list has 2^63 elements.
        Step::Index(index) => Selector::ElementKeyInt(i64::try_from(index).unwrap_or(i64::MAX)),
    };
    let steps = path.0.into_iter().map(|step| WireStep { selector: Some(selector(step)) });
    wire::AttributePath { steps: steps.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn msgpack_comes_before_json_and_nothing_is_null() {
        let both = wire::DynamicValue { msgpack: vec![0xc3], json: b"false".to_vec() };
        assert_eq!(value(Some(both), &Type::Bool), Ok(Value::Bool(true)));
        let json = wire::DynamicValue { msgpack: vec![], json: b"false".to_vec() };
        assert_eq!(value(Some(json), &Type::Bool), Ok(Value::Bool(false)));
        assert_eq!(value(Some(wire::DynamicValue::default()), &Type::Bool), Ok(Value::Null));
        assert_eq!(value(None, &Type::Bool), Ok(Value::Null));
    }

    #[test]
    fn garbage_is_said_to_be_garbage() {
        for (msgpack, json) in [(vec![0xc1], vec![]), (vec![], b"{".to_vec()), (vec![], b"1".to_vec())] {
            assert!(value(Some(wire::DynamicValue { msgpack, json }), &Type::Bool).is_err());
        }
        assert!(dynamic_value(&Value::Bool(true), &Type::String).is_err());
    }

    #[test]
    fn a_path_keeps_every_step() {
        let path = Path::attribute_of_root("a").key("k").index(2);
        let converted = diagnostic(Diagnostic::warning(path, "s", "d"));
        assert_eq!(converted.severity(), WireSeverity::Warning);
        let steps: Vec<_> =
            converted.attribute.expect("a path").steps.into_iter().map(|s| s.selector).collect();
        let expect = [
            Selector::AttributeName("a".into()),
            Selector::ElementKeyString("k".into()),
            Selector::ElementKeyInt(2),
        ];
        assert_eq!(steps, expect.map(Some));
        assert_eq!(diagnostic(Diagnostic::error(Path::root(), "s", "d")).attribute, None);
    }
}
