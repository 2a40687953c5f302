//! The placement matrix as text: components are rows, pools are columns, reasons are notes.

use std::collections::BTreeMap;
use std::fmt::Write;

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
/// resolved to.
#[must_use]
pub fn report(placements: &[Placement], versions: &BTreeMap<String, String>) -> String {
    let mut pools: Vec<&str> = placements.iter().map(|it| it.node_pool.as_str()).collect();
    pools.sort_unstable();
    pools.dedup();
    if pools.is_empty() {
        return String::new();
    }
    let mut notes = Notes::default();
    let rows = rows(placements, &pools, &mut notes);
    let label = rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    let (heads, key) = heads(&pools, &rows, label);
    let widths: Vec<_> = heads
        .iter()
        .enumerate()
        .map(|(column, head)| {
            let cells = rows.iter().map(|(_, cells)| cells[column].chars().count());
            cells.chain([head.chars().count()]).max().unwrap_or(0)
        })
        .collect();
    let mut text = line("on pool", label, &heads, &widths);
    let mut addon = "";
    for ((row, cells), first) in rows.iter().zip(placements.iter().step_by(pools.len())) {
        if first.addon != addon {
            addon = &first.addon;
            let version = versions.get(addon).map(|it| format!(" {it}")).unwrap_or_default();
            let _ = writeln!(text, "{addon}{version}");
        }
        text.push_str(&line(row, label, cells, &widths));
    }
    text.push('\n');
    text.push_str(&key);
    text.push_str(LEGEND);
    for (number, reason) in notes.0.iter().enumerate() {
        let _ = writeln!(text, "[{}] {reason}", number + 1);
    }
    text
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

/// One row for each component: placements come sorted by add-on, component and pool.
fn rows(placements: &[Placement], pools: &[&str], notes: &mut Notes) -> Vec<(String, Vec<String>)> {
    let cell = |placement: &Placement, notes: &mut Notes| match &placement.reason {
        Reason::Admitted | Reason::Tolerates(_) | Reason::FargateSelected => "yes".to_owned(),
        other => format!("{} [{}]", mark(placement), notes.number(other)),
    };
    placements
        .chunks(pools.len())
        .filter_map(|row| {
            let first = row.first()?;
            let cells = row.iter().map(|placement| cell(placement, notes)).collect();
            Some((format!("  {} ({})", first.component, first.kind), cells))
        })
        .collect()
}

fn heads(pools: &[&str], rows: &[(String, Vec<String>)], label: usize) -> (Vec<String>, String) {
    let cell = rows.iter().flat_map(|(_, cells)| cells).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let width: usize = pools.iter().map(|pool| pool.chars().count().max(cell) + 2).sum();
    if label + width <= WIDTH {
        return (pools.iter().map(|pool| (*pool).to_owned()).collect(), String::new());
    }
    let names: Vec<_> = (0..pools.len()).map(letters).collect();
    let key = names.iter().zip(pools).map(|(letter, pool)| format!("{letter}: {pool}\n")).collect();
    (names, key)
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
