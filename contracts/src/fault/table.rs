//! The shape of every table of fault codes of the project: number, title and page, in one place.
//!
//! Codes are stable: one is never given another meaning and never reused.

/// Defines an enum of fault codes from a table of `Variant = "C001", "title", "page";`.
///
/// The enum has `ALL`, `as_str` (`CKE-C001`), `title`, `page`, `parse` and `Display`.
#[macro_export]
macro_rules! fault_codes {
    ($(#[$meta:meta])* pub enum $name:ident; $($variant:ident = $number:literal, $title:literal, $page:literal;)+) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $(
                #[doc = concat!("`CKE-", $number, "`: ", $title)]
                $variant,
            )+
        }

        impl $name {
            /// Every code, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The code as it is printed, such as `CKE-C002`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!("CKE-", $number),)+
                }
            }

            /// The rule in a few words.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$variant => $title,)+
                }
            }

            /// What the fault means and what to do, for `cke explain CODE`.
            pub const fn page(self) -> &'static str {
                match self {
                    $(Self::$variant => $page,)+
                }
            }

            /// The code printed as `text`, with or without `CKE-`, in upper or lower case.
            pub fn parse(text: &str) -> Option<Self> {
                let text = text.to_ascii_uppercase();
                let number = text.strip_prefix("CKE-").unwrap_or(&text);
                Self::ALL.iter().copied().find(|code| code.as_str().strip_prefix("CKE-") == Some(number))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
