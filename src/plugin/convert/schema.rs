//! Schemas for the wire. One declaration serves protocol and docs, so every text goes along.

use std::collections::BTreeMap;

use crate::plugin::proto::tfplugin6 as wire;
use crate::plugin::proto::tfplugin6::StringKind;
use crate::plugin::proto::tfplugin6::schema::nested_block::NestingMode as BlockMode;
use crate::plugin::proto::tfplugin6::schema::object::NestingMode as ObjectMode;
use crate::tf::{Attribute, AttributeType, Block, BlockNesting, Mode, NestedBlock, Nesting, Schema};

/// A schema for a response.
pub(crate) fn schema(schema: &Schema) -> wire::Schema {
    let block = wire::schema::Block { version: schema.version, ..block(&schema.block) };
    wire::Schema { version: schema.version, block: Some(block) }
}

fn block(block: &Block) -> wire::schema::Block {
    wire::schema::Block {
        attributes: attributes(&block.attributes),
        block_types: block.blocks.iter().map(|(name, nested)| nested_block(name, nested)).collect(),
        description: block.description.clone(),
        description_kind: StringKind::Markdown.into(),
        ..Default::default()
    }
}

fn nested_block(name: &str, nested: &NestedBlock) -> wire::schema::NestedBlock {
    let nesting = match nested.nesting {
        BlockNesting::Single => BlockMode::Single,
        BlockNesting::Group => BlockMode::Group,
        BlockNesting::List => BlockMode::List,
        BlockNesting::Set => BlockMode::Set,
        BlockNesting::Map => BlockMode::Map,
    };
    wire::schema::NestedBlock {
        type_name: name.to_owned(),
        block: Some(block(&nested.block)),
        nesting: nesting.into(),
        min_items: nested.min_items,
        max_items: nested.max_items,
    }
}

fn attributes(attributes: &BTreeMap<String, Attribute>) -> Vec<wire::schema::Attribute> {
    attributes.iter().map(|(name, it)| attribute(name, it)).collect()
}

fn attribute(name: &str, attribute: &Attribute) -> wire::schema::Attribute {
    // Exactly one of the two types is set (B3).
    let (ty, nested_type) = match &attribute.ty {
        AttributeType::Plain(ty) => (ty.to_json().to_string().into_bytes(), None),
        AttributeType::Nested(nesting, attributes) => (Vec::new(), Some(object(*nesting, attributes))),
    };
    let mode = attribute.mode;
    wire::schema::Attribute {
        name: name.to_owned(),
        r#type: ty,
        nested_type,
        description: attribute.description.clone(),
        description_kind: StringKind::Markdown.into(),
        required: mode == Mode::Required,
        optional: matches!(mode, Mode::Optional | Mode::OptionalComputed),
        computed: matches!(mode, Mode::Computed | Mode::OptionalComputed),
        sensitive: attribute.sensitive,
        ..Default::default()
    }
}

fn object(nesting: Nesting, nested: &BTreeMap<String, Attribute>) -> wire::schema::Object {
    let nesting = match nesting {
        Nesting::Single => ObjectMode::Single,
        Nesting::List => ObjectMode::List,
        Nesting::Set => ObjectMode::Set,
        Nesting::Map => ObjectMode::Map,
    };
    wire::schema::Object { attributes: attributes(nested), nesting: nesting.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tf::Type;

    fn attribute_map(name: &str, attribute: Attribute) -> BTreeMap<String, Attribute> {
        BTreeMap::from([(name.to_owned(), attribute)])
    }

    #[test]
    fn an_attribute_has_one_type_and_its_mode_as_flags() {
        let flags = |mode| {
            let it = attribute("a", &Attribute::new(Type::list(Type::String), mode, "text"));
            assert_eq!(it.r#type, br#"["list","string"]"#);
            assert_eq!((it.nested_type, it.description.as_str()), (None, "text"));
            (it.required, it.optional, it.computed)
        };
        assert_eq!(flags(Mode::Required), (true, false, false));
        assert_eq!(flags(Mode::Optional), (false, true, false));
        assert_eq!(flags(Mode::Computed), (false, false, true));
        assert_eq!(flags(Mode::OptionalComputed), (false, true, true));
    }

    #[test]
    fn a_nested_attribute_has_only_a_nested_type() {
        let inner = Attribute::new(Type::Bool, Mode::Computed, "").sensitive();
        let it = Attribute::nested(Nesting::Map, attribute_map("x", inner), Mode::Computed, "");
        let it = attribute("a", &it);
        let nested = it.nested_type.expect("a nested type");
        assert!(it.r#type.is_empty());
        assert_eq!(nested.nesting(), ObjectMode::Map);
        assert!(nested.attributes[0].sensitive);
    }

    #[test]
    fn nested_blocks_keep_their_limits() {
        let inner = Attribute::new(Type::Bool, Mode::Optional, "");
        let nested = NestedBlock {
            nesting: BlockNesting::List,
            block: Block { attributes: attribute_map("x", inner), ..Block::default() },
            min_items: 1,
            max_items: 3,
        };
        let root = Block { blocks: BTreeMap::from([("b".to_owned(), nested)]), ..Block::default() };
        let it = schema(&Schema { version: 2, block: root });
        let block = it.block.expect("a block");
        let nested = &block.block_types[0];
        assert_eq!((it.version, nested.type_name.as_str(), nested.nesting()), (2, "b", BlockMode::List));
        assert_eq!((nested.min_items, nested.max_items), (1, 3));
    }
}
