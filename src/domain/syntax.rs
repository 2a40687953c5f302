//! The lexical rules of Kubernetes names (apimachinery `util/validation`): what a key, a label value
//! or a DNS name may look like. Errors are a sentence that says what is allowed.

/// `[prefix/]name`: a DNS subdomain and a name of at most 63 characters.
///
/// # Errors
/// What is wrong with it.
pub fn qualified_name(text: &str) -> Result<(), &'static str> {
    let name = match text.split_once('/') {
        Some((prefix, name)) => {
            dns_subdomain(prefix)?;
            name
        }
        None => text,
    };
    if name.is_empty() {
        return Err("a key must not be empty");
    }
    if name.len() > 63 {
        return Err("the part after the slash has at most 63 characters");
    }
    words(
        name,
        "a key is an optional DNS prefix and a slash, then letters, digits, '-', '_' and '.', \
                 beginning and ending with a letter or digit",
    )
}

/// Empty, or at most 63 characters.
///
/// # Errors
/// What is wrong with it.
pub fn label_value(text: &str) -> Result<(), &'static str> {
    if text.is_empty() {
        return Ok(());
    }
    if text.len() > 63 {
        return Err("a value has at most 63 characters");
    }
    words(text, "a value is letters, digits, '-', '_' and '.', beginning and ending with a letter or digit")
}

fn words(text: &str, why: &'static str) -> Result<(), &'static str> {
    let edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let bytes = text.as_bytes();
    (edge(bytes.first()) && edge(bytes.last()) && text.bytes().all(inner)).then_some(()).ok_or(why)
}

fn dns_subdomain(text: &str) -> Result<(), &'static str> {
    let label = |label: &str| {
        let edge = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        edge(label.as_bytes().first()) && edge(label.as_bytes().last()) && label.bytes().all(inner)
    };
    (text.len() <= 253 && text.split('.').all(label))
        .then_some(())
        .ok_or("the prefix before the slash is a DNS name in lower case")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_follow_kubernetes() {
        for good in ["a", "karpenter.sh/controller", "CriticalAddonsOnly", "a_b.c-d", "1/2"] {
            assert_eq!(qualified_name(good), Ok(()), "{good}");
        }
        for bad in ["", "a b", "-a", "a-", "/a", "a/", "A.b/c", "a/b/c", "é", &"x".repeat(64)] {
            assert!(qualified_name(bad).is_err(), "{bad}");
        }
        for good in ["", "true", "A-1_b.c"] {
            assert_eq!(label_value(good), Ok(()), "{good}");
        }
        for bad in ["a b", "-a", "a/b", "a=b", &"x".repeat(64)] {
            assert!(label_value(bad).is_err(), "{bad}");
        }
    }
}
