//! Values as MessagePack, directed by their type (rules C1 to C10 of the object wire format).
//!
//! The `rmp` crate reads and writes the tokens; this file knows only what Terraform means by them.

use std::collections::BTreeMap;
use std::fmt;

use rmp::Marker;
use rmp::decode::{self, ValueReadError};
use rmp::encode;

use super::{Number, Refinements, Type, Value};

/// Extension code of an unknown value that carries refinements.
const REFINED_UNKNOWN: i8 = 12;

/// How deep dynamic values may stand in one another. A type nests no deeper than its JSON may, but each
/// dynamic value brings a new one, and a hostile nest of them must not exhaust the stack.
const MOST_DYNAMICS: usize = 16;

/// Why bytes are not a value of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(String);

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: rmp::decode::RmpReadErr> From<ValueReadError<E>> for DecodeError {
    fn from(error: ValueReadError<E>) -> Self {
        Self(format!("not MessagePack: {error:?}"))
    }
}

fn expected(what: &Type, found: Marker) -> DecodeError {
    DecodeError(format!("expected {what}, found the MessagePack marker {found:?}"))
}

/// Reads one value of `ty`; all bytes must belong to it.
///
/// # Errors
/// Bytes that are not MessagePack or not of that type.
pub fn decode(mut bytes: &[u8], ty: &Type) -> Result<Value, DecodeError> {
    let value = read(&mut bytes, ty, 0)?;
    if bytes.is_empty() {
        Ok(value)
    } else {
        Err(DecodeError(format!("{} bytes follow the value", bytes.len())))
    }
}

fn peek(bytes: &[u8]) -> Result<Marker, DecodeError> {
    let first = bytes.first().ok_or_else(|| DecodeError("the value ends early".into()))?;
    Ok(Marker::from_u8(*first))
}

fn read(bytes: &mut &[u8], ty: &Type, depth: usize) -> Result<Value, DecodeError> {
    match peek(bytes)? {
        Marker::Null => {
            *bytes = &bytes[1..];
            return Ok(Value::Null);
        }
        Marker::FixExt1
        | Marker::FixExt2
        | Marker::FixExt4
        | Marker::FixExt8
        | Marker::FixExt16
        | Marker::Ext8
        | Marker::Ext16
        | Marker::Ext32 => return read_unknown(bytes),
        _ => {}
    }
    match ty {
        Type::Bool => match peek(bytes)? {
            marker @ (Marker::True | Marker::False) => {
                *bytes = &bytes[1..];
                Ok(Value::Bool(marker == Marker::True))
            }
            other => Err(expected(ty, other)),
        },
        Type::Number => read_number(bytes).map(Value::Number),
        Type::String => read_string(bytes).map(Value::String),
        Type::Dynamic => read_dynamic(bytes, depth + 1),
        Type::List(element) | Type::Set(element) => {
            let length = decode::read_array_len(bytes)?;
            (0..length).map(|_| read(bytes, element, depth)).collect::<Result<_, _>>().map(Value::Sequence)
        }
        Type::Tuple(elements) => {
            let length = decode::read_array_len(bytes)?;
            if usize::try_from(length) != Ok(elements.len()) {
                return Err(DecodeError(format!("{length} elements of {} in a tuple", elements.len())));
            }
            elements.iter().map(|ty| read(bytes, ty, depth)).collect::<Result<_, _>>().map(Value::Sequence)
        }
        Type::Map(element) => {
            let length = decode::read_map_len(bytes)?;
            let entries = (0..length).map(|_| Ok((read_string(bytes)?, read(bytes, element, depth)?)));
            entries.collect::<Result<_, DecodeError>>().map(Value::Mapping)
        }
        Type::Object(attributes) => read_object(bytes, attributes, depth),
    }
}

/// Attributes that are missing are null: stub states and older clients leave some out.
fn read_object(
    bytes: &mut &[u8],
    types: &BTreeMap<String, Type>,
    depth: usize,
) -> Result<Value, DecodeError> {
    let length = decode::read_map_len(bytes)?;
    let mut entries: BTreeMap<_, _> = types.keys().map(|name| (name.clone(), Value::Null)).collect();
    for _ in 0..length {
        let name = read_string(bytes)?;
        let ty = types
            .get(&name)
            .ok_or_else(|| DecodeError(format!("an object without attribute {name:?} has one")))?;
        let value = read(bytes, ty, depth)?;
        entries.insert(name, value);
    }
    Ok(Value::Mapping(entries))
}

fn read_dynamic(bytes: &mut &[u8], depth: usize) -> Result<Value, DecodeError> {
    if depth > MOST_DYNAMICS {
        return Err(DecodeError("dynamic values nest too deep".into()));
    }
    if decode::read_array_len(bytes)? != 2 {
        return Err(DecodeError("a dynamic value is a pair of type and value".into()));
    }
    let ty = read_bytes(bytes)?;
    let json = serde_json::from_slice(ty).map_err(|error| DecodeError(error.to_string()))?;
    let ty = Type::from_json(&json).map_err(|error| DecodeError(error.to_string()))?;
    let value = read(bytes, &ty, depth)?;
    Ok(Value::Dynamic(Box::new((ty, value))))
}

fn read_number(bytes: &mut &[u8]) -> Result<Number, DecodeError> {
    let marker = peek(bytes)?;
    let float =
        |value: f64| Number::from_f64(value).ok_or_else(|| DecodeError(format!("{value} is not a number")));
    match marker {
        Marker::F32 => decode::read_f32(bytes).map(f64::from).map_err(Into::into).and_then(float),
        Marker::F64 => decode::read_f64(bytes).map_err(Into::into).and_then(float),
        Marker::U64 => Ok(Number::from(decode::read_u64(bytes)?)),
        Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32 => {
            read_string(bytes)?.parse().map_err(|_| DecodeError("a number's text is not a number".into()))
        }
        _ => decode::read_int::<i64, _>(bytes).map(Number::from).map_err(|_| expected(&Type::Number, marker)),
    }
}

fn read_string(bytes: &mut &[u8]) -> Result<String, DecodeError> {
    let marker = peek(bytes)?;
    if !matches!(marker, Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32) {
        return Err(expected(&Type::String, marker));
    }
    let length = decode::read_str_len(bytes)?;
    let text = std::str::from_utf8(take(bytes, length)?);
    text.map(str::to_owned).map_err(|_| DecodeError("a string is not UTF-8".into()))
}

/// Core writes the type of a dynamic value as binary; a string is taken as well.
fn read_bytes<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], DecodeError> {
    let length = match peek(bytes)? {
        Marker::Bin8 | Marker::Bin16 | Marker::Bin32 => decode::read_bin_len(bytes)?,
        _ => decode::read_str_len(bytes)?,
    };
    take(bytes, length)
}

fn take<'a>(bytes: &mut &'a [u8], length: u32) -> Result<&'a [u8], DecodeError> {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let (head, tail) = bytes
        .split_at_checked(length)
        .ok_or_else(|| DecodeError(format!("{length} bytes announced, {} left", bytes.len())))?;
    *bytes = tail;
    Ok(head)
}

/// Any extension value is an unknown one (C9); only code 12 says more.
fn read_unknown(bytes: &mut &[u8]) -> Result<Value, DecodeError> {
    let meta = decode::read_ext_meta(bytes)?;
    let mut payload = take(bytes, meta.size)?;
    if meta.typeid != REFINED_UNKNOWN || payload.is_empty() {
        return Ok(Value::unknown());
    }
    let mut refinements = Refinements::default();
    for _ in 0..decode::read_map_len(&mut payload)? {
        let key = decode::read_int::<i64, _>(&mut payload)
            .map_err(|error| DecodeError(format!("a refinement's key: {error}")))?;
        match key {
            1 => refinements.nullness = Some(read_bool(&mut payload)?),
            2 => refinements.prefix = Some(read_string(&mut payload)?),
            3 => refinements.minimum = Some(read_bound(&mut payload)?),
            4 => refinements.maximum = Some(read_bound(&mut payload)?),
            5 => refinements.min_length = read_number(&mut payload)?.as_u64(),
            6 => refinements.max_length = read_number(&mut payload)?.as_u64(),
            // A refinement of a later protocol has a shape that cannot be known: stop here.
            _ => break,
        }
    }
    Ok(Value::Unknown(refinements))
}

fn read_bool(bytes: &mut &[u8]) -> Result<bool, DecodeError> {
    decode::read_bool(bytes).map_err(Into::into)
}

fn read_bound(bytes: &mut &[u8]) -> Result<(Number, bool), DecodeError> {
    if decode::read_array_len(bytes)? != 2 {
        return Err(DecodeError("a bound is a pair of number and bool".into()));
    }
    Ok((read_number(bytes)?, read_bool(bytes)?))
}

/// A value that does not fit the type it is to be written as: a bug of the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeError(String);

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Writes `value` as a value of `ty`.
///
/// # Errors
/// A value that is not of that type (rule C13 would reject it in less clear words).
pub fn encode(value: &Value, ty: &Type) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::with_capacity(256);
    write(&mut bytes, value, ty)?;
    Ok(bytes)
}

/// Writing to a `Vec` cannot fail; the tokens' own errors are of I/O only.
fn token<T, E: fmt::Debug>(result: Result<T, E>) -> Result<(), EncodeError> {
    result.map(drop).map_err(|error| EncodeError(format!("{error:?}")))
}

fn length_of(length: usize) -> Result<u32, EncodeError> {
    u32::try_from(length).map_err(|_| EncodeError("more than 2^32 elements".into()))
}

fn write(out: &mut Vec<u8>, value: &Value, ty: &Type) -> Result<(), EncodeError> {
    let mismatch = || EncodeError(format!("a value of type {ty} was expected, found {value:?}"));
    match (value, ty) {
        (Value::Null, _) => token(encode::write_nil(out)),
        (Value::Unknown(refinements), _) => write_unknown(out, refinements),
        (Value::Dynamic(inner), Type::Dynamic) => {
            token(encode::write_array_len(out, 2))?;
            token(encode::write_bin(out, inner.0.to_json().to_string().as_bytes()))?;
            write(out, &inner.1, &inner.0)
        }
        (Value::Bool(flag), Type::Bool) => token(encode::write_bool(out, *flag)),
        (Value::Number(number), Type::Number) => write_number(out, number),
        (Value::String(text), Type::String) => token(encode::write_str(out, text)),
        (Value::Sequence(elements), Type::List(element) | Type::Set(element)) => {
            token(encode::write_array_len(out, length_of(elements.len())?))?;
            elements.iter().try_for_each(|value| write(out, value, element))
        }
        (Value::Sequence(elements), Type::Tuple(types)) if elements.len() == types.len() => {
            token(encode::write_array_len(out, length_of(elements.len())?))?;
            elements.iter().zip(types).try_for_each(|(value, ty)| write(out, value, ty))
        }
        (Value::Mapping(entries), Type::Map(element)) => {
            token(encode::write_map_len(out, length_of(entries.len())?))?;
            entries.iter().try_for_each(|(key, value)| {
                token(encode::write_str(out, key))?;
                write(out, value, element)
            })
        }
        (Value::Mapping(entries), Type::Object(types)) => {
            if let Some(extra) = entries.keys().find(|name| !types.contains_key(*name)) {
                return Err(EncodeError(format!("the object has no attribute {extra:?}")));
            }
            token(encode::write_map_len(out, length_of(types.len())?))?;
            types.iter().try_for_each(|(name, ty)| {
                token(encode::write_str(out, name))?;
                write(out, entries.get(name).unwrap_or(&Value::Null), ty)
            })
        }
        _ => Err(mismatch()),
    }
}

/// The shortest form that loses nothing: an integer, a float, else decimal text (C6).
fn write_number(out: &mut Vec<u8>, number: &Number) -> Result<(), EncodeError> {
    if let Some(integer) = number.as_i64() {
        token(encode::write_sint(out, integer))
    } else if let Some(float) = number.as_exact_f64() {
        token(encode::write_f64(out, float))
    } else {
        token(encode::write_str(out, &number.to_string()))
    }
}

fn write_unknown(out: &mut Vec<u8>, refinements: &Refinements) -> Result<(), EncodeError> {
    let mut payload = Vec::new();
    let mut count = 0;
    let mut key = |payload: &mut Vec<u8>, key: i64| {
        count += 1;
        token(encode::write_sint(payload, key))
    };
    if let Some(nullness) = refinements.nullness {
        key(&mut payload, 1)?;
        token(encode::write_bool(&mut payload, nullness))?;
    }
    if let Some(prefix) = &refinements.prefix {
        key(&mut payload, 2)?;
        token(encode::write_str(&mut payload, prefix))?;
    }
    for (code, bound) in [(3, &refinements.minimum), (4, &refinements.maximum)] {
        if let Some((number, inclusive)) = bound {
            key(&mut payload, code)?;
            token(encode::write_array_len(&mut payload, 2))?;
            write_number(&mut payload, number)?;
            token(encode::write_bool(&mut payload, *inclusive))?;
        }
    }
    for (code, length) in [(5, refinements.min_length), (6, refinements.max_length)] {
        if let Some(length) = length {
            key(&mut payload, code)?;
            token(encode::write_uint(&mut payload, length))?;
        }
    }
    if count == 0 {
        // Never code 12 with an empty map (C9).
        token(encode::write_ext_meta(out, 1, 0))?;
        out.push(0);
        return Ok(());
    }
    let mut map = Vec::with_capacity(payload.len() + 1);
    token(encode::write_map_len(&mut map, count))?;
    map.extend(payload);
    token(encode::write_ext_meta(out, length_of(map.len())?, REFINED_UNKNOWN))?;
    out.extend(map);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(value: &Value, ty: &Type) {
        let bytes = encode(value, ty).expect("the value is of the type");
        assert_eq!(decode(&bytes, ty).as_ref(), Ok(value), "{ty}");
    }

    fn number(text: &str) -> Value {
        Value::Number(text.parse().expect("a number"))
    }

    #[test]
    fn every_kind_of_value_survives_the_wire() {
        for ty in [Type::Bool, Type::String, Type::Dynamic, Type::list(Type::Number)] {
            round_trip(&Value::Null, &ty);
            round_trip(&Value::unknown(), &ty);
            round_trip(&Value::unknown_not_null(), &ty);
        }
        round_trip(&Value::Bool(true), &Type::Bool);
        round_trip(&Value::string("é\u{1F980}"), &Type::String);
        let object = Type::object([("a", Type::set(Type::String)), ("b", Type::Dynamic)]);
        let dynamic = Value::Dynamic(Box::new((
            Type::Tuple(vec![Type::Number, Type::map(Type::Bool)]),
            Value::Sequence(vec![number("1.5"), Value::mapping([("x", Value::Bool(false))])]),
        )));
        let value = Value::mapping([("a", Value::strings(["p", "q"])), ("b", dynamic)]);
        round_trip(&value, &object);
        let typed_null = Value::Dynamic(Box::new((Type::String, Value::Null)));
        round_trip(&typed_null, &Type::Dynamic);
    }

    #[test]
    fn numbers_lose_nothing() {
        for text in ["0", "-1", "127", "128", "4294967296", "-9223372036854775808"] {
            round_trip(&number(text), &Type::Number);
        }
        for text in ["18446744073709551615", "0.1", "0.5", "123456789012345678901234567890.5"] {
            round_trip(&number(text), &Type::Number);
        }
        // A float that is not what its shortest text says must go back as that very float.
        let third = 0.1_f64 + 0.2;
        let mut bytes = Vec::new();
        encode::write_f64(&mut bytes, third).expect("a vec");
        let value = decode(&bytes, &Type::Number).expect("a float");
        assert_eq!(encode(&value, &Type::Number).expect("encodes"), bytes);
    }

    #[test]
    fn refinements_survive_and_unknown_ones_do_no_harm() {
        let refined = Value::Unknown(Refinements {
            nullness: Some(false),
            prefix: Some("v1.".into()),
            minimum: Some((Number::from(1_i64), true)),
            maximum: Some((Number::from(9_i64), false)),
            min_length: Some(1),
            max_length: Some(7),
        });
        round_trip(&refined, &Type::String);
        // fixmap of one entry with key 99, in an extension of code 12; then one of code 77.
        assert_eq!(decode(&[0xc7, 3, 12, 0x81, 99, 0xc0], &Type::Bool), Ok(Value::unknown()));
        assert_eq!(decode(&[0xd4, 77, 0], &Type::Bool), Ok(Value::unknown()));
    }

    #[test]
    fn an_object_without_all_attributes_is_filled_with_null() {
        let ty = Type::object([("a", Type::Bool), ("b", Type::String)]);
        let value = decode(&[0x81, 0xa1, b'a', 0xc3], &ty).expect("decodes");
        assert_eq!(value, Value::mapping([("a", Value::Bool(true)), ("b", Value::Null)]));
    }

    #[test]
    fn dynamic_values_nest_only_so_deep() {
        let nested = |levels| {
            (0..levels).fold(Value::Null, |value, _| Value::Dynamic(Box::new((Type::Dynamic, value))))
        };
        let bytes = |levels| encode(&nested(levels), &Type::Dynamic).expect("encodes");
        assert_eq!(decode(&bytes(16), &Type::Dynamic), Ok(nested(16)));
        assert!(decode(&bytes(17), &Type::Dynamic).is_err());
    }

    #[test]
    fn nonsense_is_an_error_not_a_panic() {
        let object = Type::object([("a", Type::Bool)]);
        let cases: [(&[u8], &Type); 8] = [
            (&[], &Type::Bool),
            (&[0xa1, b'x'], &Type::Bool),
            (&[0xa5, b'x'], &Type::String),
            (&[0xdd, 0xff, 0xff, 0xff, 0xff], &Type::List(Box::new(Type::Bool))),
            (&[0x81, 0xa1, b'z', 0xc3], &object),
            (&[0x92, 0xc4, 1, b'{', 0xc0], &Type::Dynamic),
            (&[0xc3, 0xc3], &Type::Bool),
            (&[0xcb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0], &Type::Number),
        ];
        for (bytes, ty) in cases {
            assert!(decode(bytes, ty).is_err(), "{bytes:?} as {ty}");
        }
        assert!(encode(&Value::Bool(true), &Type::String).is_err());
    }
}
