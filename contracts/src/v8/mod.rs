//! Files of the v8 generation: kernel maps, binding tables, circuits and weight manifests, with its names.
//!
//! They are read as they are: a field that is there is kept, one that is not stays away, and writing what was read gives
//! the same JSON. What they leave unsaid is not filled in.

mod bindings;
pub mod circuit;
mod classify;
mod flaw;
mod manifest;
pub mod map;
pub mod offer;
mod plan;
mod record;
pub mod words;

pub use bindings::{Binding, Bindings, BindingsFormat, BindingsMeta};
pub use circuit::Circuit;
pub use classify::{File, classify};
pub use flaw::Flaw;
pub use manifest::{BumpLayout, Manifest, ManifestEntry, QuantSummary};
pub use map::{KernelMap, check_maps, read_maps};
pub use plan::{Facts, Plan, PlanEntry, Ungoverned, facts, plan};
pub use record::{Extent, FreeForm, OneOrMany, Size};
