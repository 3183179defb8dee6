//! The closed vocabularies of contracts and kernel maps: every field that names one of several things is an enum.
//!
//! Names follow the v8 registries where those have one; what is ours is set apart under a comment. Adding a name is
//! adding a line; giving an existing name another meaning is not allowed, since digests and evidence refer to it.

mod attention;
mod execution;
mod explicit;
mod linear;
mod provider;

pub use attention::*;
pub use execution::*;
pub use explicit::*;
pub use linear::*;
pub use provider::*;

/// Defines an enum with its JSON names: serde, JSON Schema, `as_str`, `Display` and
/// the list of all values come from one table.
macro_rules! vocabulary {
    ($(#[$meta:meta])* $name:ident { $($(#[$note:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $(
                #[doc = concat!("`", $text, "`")]
                $(#[$note])*
                #[serde(rename = $text)]
                $variant,
            )+
        }

        impl $name {
            /// Every value, in the order of the definition.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name in JSON and IR.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($name)).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": [$($text),+] })
            }
        }
    };
}
pub(crate) use vocabulary;

vocabulary! {
    /// How far a request, a contract or a capability has been confirmed. The order is the order of trust.
    Status {
        Unresolved = "unresolved",
        Observed = "observed",
        Validated = "validated",
    }
}

vocabulary! {
    /// A phase of a program.
    Phase {
        Init = "init",
        Prefill = "prefill",
        Decode = "decode",
        Training = "training",
        Backward = "backward",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_names_are_the_names_of_the_table() {
        for family in OperatorFamily::ALL {
            let json = serde_json::to_value(family).unwrap();
            assert_eq!(json, family.as_str());
            assert_eq!(serde_json::from_value::<OperatorFamily>(json).unwrap(), *family);
        }
        assert!(serde_json::from_value::<Status>("Observed".into()).is_err());
    }

    #[test]
    fn status_is_ordered_by_trust() {
        assert!(Status::Unresolved < Status::Observed && Status::Observed < Status::Validated);
    }
}
