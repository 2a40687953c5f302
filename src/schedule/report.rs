//! The placement matrix as text: components are rows, pools are columns, reasons are notes.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::domain::Kind;

use super::{Placement, Reason};

/// Widest table with the pools' names above the columns; beyond it they become letters.
const WIDTH: usize = 100;

/// The mark of an answer. Only what must run and cannot is loud: not being made for a pool, or not being
/// needed there, is no fault.
fn mark(placement: &Placement) -> &'static str {
    match placement.reason.schedulable() {
        Some(true) => "yes",
        Some(false) if placement.required => "NO",
        Some(false) if placement.reason.is_eligible() => "no",
        Some(false) => "-",
        None => "?",
    }
}

const LEGEND: &str =
    "yes: runs there   NO: must, but cannot   no: cannot, need not   -: not made for it   ?: not known\n";

/// The matrix of all placements, or the empty text if there are none. `versions` is what each add-on
/// resolved to. No line is wider than a terminal, unless a single name is.
#[must_use]
pub fn report(placements: &[Placement], versions: &BTreeMap<String, String>) -> String {
    let mut pools: Vec<&str> = placements.iter().map(|it| it.node_pool.as_str()).collect();
    pools.sort_unstable();
    pools.dedup();
    if pools.is_empty() {
        return String::new();
    }
    let mut notes = Notes::default();
    let rows = rows(placements, pools.len(), versions, &mut notes);
    let (heads, key) = heads(&pools, &rows);
    let mut text = tables(&heads, &rows);
    text.push_str(&key);
    text.push_str(LEGEND);
    for (number, reason) in notes.0.iter().enumerate() {
        text.push_str(&wrapped(&format!("[{}] {reason}", number + 1)));
    }
    text
}

/// As many tables below each other as the columns need.
fn tables(heads: &[String], rows: &[Row]) -> String {
    let label = label_width(rows).max(CORNER.len());
    let widths: Vec<_> = (0..heads.len()).map(|column| width(&heads[column], rows, column)).collect();
    let mut text = String::new();
    let mut from = 0;
    while from < heads.len() {
        let mut to = from + 1;
        let mut used = label + 2 + widths[from];
        while to < heads.len() && used + 2 + widths[to] <= WIDTH {
            used += 2 + widths[to];
            to += 1;
        }
        text.push_str(&line(CORNER, label, &heads[from..to], &widths[from..to]));
        for row in rows {
            // The line that names an add-on has no cells.
            let cells = row.cells.get(from..to).unwrap_or_default();
            text.push_str(&line(&row.label, label, cells, &widths[from..to]));
        }
        text.push('\n');
        from = to;
    }
    text
}

/// A line, continued under its text where it is too long.
fn wrapped(line: &str) -> String {
    let mut text = String::new();
    let mut used = 0;
    for word in line.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > WIDTH {
            text.push_str("\n    ");
            used = 4;
        } else if used > 0 {
            text.push(' ');
            used += 1;
        }
        text.push_str(word);
        used += length;
    }
    text.push('\n');
    text
}

/// What stands in the corner: a first line that began with spaces would lose them in Terraform's output.
const CORNER: &str = "on pool";

/// A line of the table: an add-on without cells, or a component.
struct Row {
    label: String,
    cells: Vec<String>,
}

/// Of the components: an add-on has its line to itself.
fn label_width(rows: &[Row]) -> usize {
    let components = rows.iter().filter(|row| !row.cells.is_empty());
    components.map(|row| row.label.chars().count()).max().unwrap_or(0)
}

fn width(head: &str, rows: &[Row], column: usize) -> usize {
    let cells = rows.iter().filter_map(|row| row.cells.get(column)).map(|cell| cell.chars().count());
    cells.chain([head.chars().count()]).max().unwrap_or(0)
}

/// Reasons worth a note, numbered in the order of their first use.
#[derive(Default)]
struct Notes(Vec<String>);

impl Notes {
    fn number(&mut self, reason: &Reason) -> usize {
        let text = reason.to_string();
        let known = self.0.iter().position(|note| *note == text);
        known.unwrap_or_else(|| {
            self.0.push(text);
            self.0.len() - 1
        }) + 1
    }
}

/// A row for each add-on and each component: placements come sorted by add-on, component and pool.
fn rows(
    placements: &[Placement],
    pools: usize,
    versions: &BTreeMap<String, String>,
    notes: &mut Notes,
) -> Vec<Row> {
    let cell = |placement: &Placement, notes: &mut Notes| match &placement.reason {
        Reason::Admitted | Reason::Tolerates(_) | Reason::FargateSelected => "yes".to_owned(),
        other => format!("{} [{}]", mark(placement), notes.number(other)),
    };
    let mut rows = Vec::new();
    let mut addon = "";
    for placements in placements.chunks(pools) {
        let Some(first) = placements.first() else { continue };
        if first.addon != addon {
            addon = &first.addon;
            let version = versions.get(addon).map(|it| format!(" {it}")).unwrap_or_default();
            rows.push(Row { label: format!("{addon}{version}"), cells: Vec::new() });
        }
        // As kubectl writes it.
        let kind = match first.kind {
            Kind::DaemonSet => "ds",
            Kind::Deployment => "deploy",
        };
        let label = format!("  {kind}/{}", first.component);
        rows.push(Row { label, cells: placements.iter().map(|it| cell(it, notes)).collect() });
    }
    rows
}

/// The pools' names, or letters and what they stand for where the names are too wide.
fn heads(pools: &[&str], rows: &[Row]) -> (Vec<String>, String) {
    let label = label_width(rows);
    let names: Vec<_> = pools.iter().map(|pool| (*pool).to_owned()).collect();
    let all: usize = names.iter().enumerate().map(|(column, name)| 2 + width(name, rows, column)).sum();
    if label + all <= WIDTH {
        return (names, String::new());
    }
    let letters: Vec<_> = (0..pools.len()).map(letters).collect();
    let key = letters.iter().zip(pools).map(|(letter, pool)| format!("{letter}: {pool}\n")).collect();
    (letters, key)
}

/// A, B, …, Z, AA, AB, …
fn letters(index: usize) -> String {
    let letter = char::from(b'A' + u8::try_from(index % 26).unwrap_or(0));
    if index < 26 { letter.to_string() } else { format!("{}{letter}", letters(index / 26 - 1)) }
}

fn line(label: &str, width: usize, cells: &[String], widths: &[usize]) -> String {
    let mut line = format!("{label:width$}");
    for (cell, width) in cells.iter().zip(widths) {
        let _ = write!(line, "  {cell:width$}");
    }
    format!("{}\n", line.trim_end())
}
