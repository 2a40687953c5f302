//! Where in a configuration something is.

use std::fmt;

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// An attribute of an object or block.
    Attribute(String),
    /// An element of a map.
    Key(String),
    /// An element of a list.
    Index(usize),
}

/// A way from the root of a configuration to one of its values, such as
/// `node_pools["gpu"].taints[0]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(pub Vec<Step>);

impl Path {
    /// The configuration itself.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// The path of an attribute of the root.
    pub fn attribute_of_root(name: impl Into<String>) -> Self {
        Self::root().attribute(name)
    }

    /// This path and one attribute more.
    #[must_use]
    pub fn attribute(&self, name: impl Into<String>) -> Self {
        self.with(Step::Attribute(name.into()))
    }

    /// This path and one map key more.
    #[must_use]
    pub fn key(&self, key: impl Into<String>) -> Self {
        self.with(Step::Key(key.into()))
    }

    /// This path and one list index more.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.with(Step::Index(index))
    }

    fn with(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// The part that Terraform can point at inside a dynamic attribute: at most one attribute and
    /// one map key. Deeper paths make Terraform fall back to the block's header (tried on 1.11.4).
    #[must_use]
    pub fn addressable(&self) -> Self {
        let length = match self.0.as_slice() {
            [Step::Attribute(_), Step::Key(_), ..] => 2,
            [_, ..] => 1,
            [] => 0,
        };
        Self(self.0[..length].to_vec())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                Step::Attribute(name) if position == 0 => f.write_str(name)?,
                Step::Attribute(name) => write!(f, ".{name}")?,
                Step::Key(key) => write!(f, "[{key:?}]")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_like_hcl_and_shortens_to_what_terraform_can_show() {
        let path = Path::attribute_of_root("node_pools").key("gpu").attribute("taints").index(0);
        assert_eq!(path.to_string(), r#"node_pools["gpu"].taints[0]"#);
        assert_eq!(path.addressable().to_string(), r#"node_pools["gpu"]"#);
        assert_eq!(Path::attribute_of_root("taints").index(3).addressable().to_string(), "taints");
    }
}
