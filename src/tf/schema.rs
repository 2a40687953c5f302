//! Schemas: declared once in code, read by the protocol, the decoder and the documentation.

use std::collections::BTreeMap;

use super::Type;

/// The schema of a provider configuration, a data source or a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The version of the state that this schema writes.
    pub version: i64,
    /// Attributes and nested blocks.
    pub block: Block,
}

/// The body of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// What the block is for, in Markdown.
    pub description: String,
    /// Attributes by name.
    pub attributes: BTreeMap<String, Attribute>,
    /// Nested blocks by type name.
    pub blocks: BTreeMap<String, NestedBlock>,
}

/// An attribute of a block or of a nested object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its type.
    pub ty: AttributeType,
    /// Who sets it.
    pub mode: Mode,
    /// What a user needs to know to set or read it, in Markdown.
    pub description: String,
    /// Whether Terraform hides the value.
    pub sensitive: bool,
}

/// The type of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeType {
    /// A type constraint.
    Plain(Type),
    /// Attributes of its own, each described.
    Nested(Nesting, BTreeMap<String, Attribute>),
}

/// Who sets an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The user must.
    Required,
    /// The user may.
    Optional,
    /// The provider does.
    Computed,
    /// The user may; else the provider does.
    OptionalComputed,
}

/// How often a nested object occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nesting {
    /// One object.
    Single,
    /// A list of objects.
    List,
    /// A set of objects.
    Set,
    /// A map of objects.
    Map,
}

/// How often a nested block occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockNesting {
    /// At most once; null when absent.
    Single,
    /// At most once; an object of nulls when absent.
    Group,
    /// Any number of times, in order.
    List,
    /// Any number of times, without order.
    Set,
    /// Any number of times, labelled.
    Map,
}

/// A block inside a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedBlock {
    /// How often it occurs.
    pub nesting: BlockNesting,
    /// Its body.
    pub block: Block,
    /// Least number of blocks (rule B5: 0 for groups and maps).
    pub min_items: i64,
    /// Greatest number of blocks; 0 is no limit.
    pub max_items: i64,
}

impl Attribute {
    /// An attribute of a plain type.
    pub fn new(ty: Type, mode: Mode, description: impl Into<String>) -> Self {
        let (ty, description) = (AttributeType::Plain(ty), description.into());
        Self { ty, mode, description, sensitive: false }
    }

    /// A nested attribute.
    pub fn nested(
        nesting: Nesting,
        attributes: BTreeMap<String, Self>,
        mode: Mode,
        description: impl Into<String>,
    ) -> Self {
        let ty = AttributeType::Nested(nesting, attributes);
        Self { ty, mode, description: description.into(), sensitive: false }
    }

    /// The same attribute, hidden in Terraform's output.
    #[must_use]
    pub fn sensitive(self) -> Self {
        Self { sensitive: true, ..self }
    }

    /// The type of the attribute's values.
    #[must_use]
    pub fn implied_type(&self) -> Type {
        match &self.ty {
            AttributeType::Plain(ty) => ty.clone(),
            AttributeType::Nested(nesting, attributes) => {
                let object = object_of(attributes);
                match nesting {
                    Nesting::Single => object,
                    Nesting::List => Type::list(object),
                    Nesting::Set => Type::set(object),
                    Nesting::Map => Type::map(object),
                }
            }
        }
    }
}

impl Block {
    /// The type of the block's values: an object of all attributes and all nested blocks (C3).
    #[must_use]
    pub fn implied_type(&self) -> Type {
        let Type::Object(mut attributes) = object_of(&self.attributes) else {
            unreachable!("object_of makes objects")
        };
        for (name, nested) in &self.blocks {
            attributes.insert(name.clone(), nested.implied_type());
        }
        Type::Object(attributes)
    }
}

impl NestedBlock {
    /// The type of all blocks of this type together. Blocks in a list or map that hold a `dynamic`
    /// may differ in type, so core makes a tuple or an object of them: `dynamic` to us.
    #[must_use]
    pub fn implied_type(&self) -> Type {
        let object = self.block.implied_type();
        match self.nesting {
            BlockNesting::Single | BlockNesting::Group => object,
            BlockNesting::List | BlockNesting::Map if object.has_dynamic() => Type::Dynamic,
            BlockNesting::List => Type::list(object),
            BlockNesting::Set => Type::set(object),
            BlockNesting::Map => Type::map(object),
        }
    }
}

fn object_of(attributes: &BTreeMap<String, Attribute>) -> Type {
    let types = attributes.iter().map(|(name, attribute)| (name.clone(), attribute.implied_type()));
    Type::Object(types.collect())
}
