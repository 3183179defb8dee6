//! Ranking, which happens only among providers of equal meaning.

use super::Offer;
use crate::registry::vocabulary::Lifecycle;

/// The offer that is taken.
pub(super) struct Choice<'o> {
    /// The offer.
    pub chosen: &'o Offer,
    /// The group it was ranked in, if there were others.
    pub group: Option<&'o str>,
}

/// The one offer to take among those that fit: the only one, or the first of one equivalence group.
///
/// Providers in production go before candidates, then the greatest priority decides. `None` if nothing fits, if not all
/// belong to one group, or if two share the first place.
pub(super) fn choose<'o>(fitting: &[&'o Offer]) -> Option<Choice<'o>> {
    if let [only] = fitting {
        return Some(Choice { chosen: only, group: None });
    }
    let group = fitting.first()?.selection.as_ref()?.equivalence_group.as_str();
    let mut ranked = Vec::with_capacity(fitting.len());
    for offer in fitting {
        let selection = offer.selection.as_ref().filter(|selection| selection.equivalence_group == group)?;
        ranked.push(((offer.lifecycle == Lifecycle::Production, selection.priority), *offer));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    match ranked.as_slice() {
        [.., (second, _), (first, chosen)] if first != second => Some(Choice { chosen, group: Some(group) }),
        _ => None,
    }
}
