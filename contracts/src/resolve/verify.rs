//! The check that a decision still is the one that was made. It recomputes everything and believes nothing.

use super::{Decision, Mode, Request, Resolver};
use crate::fault::{Code, Fault};

impl Resolver<'_> {
    /// Compares a decision with the registry and the request it was made for.
    ///
    /// Faults: `ProviderReselected` if provider, contract or function differ from what resolution gives;
    /// `DefinitionEdited` if only the digest does; otherwise those of [`Resolver::resolve`], with a note of the decision.
    pub fn verify(&self, request: &Request, decision: &Decision, mode: Mode) -> Result<(), Fault> {
        let anew = self.resolve(request, mode).map_err(|fault| {
            fault.note(format!("it was resolved to provider '{}', contract '{}'", decision.provider, decision.contract))
        })?;
        let fields = [
            ("provider", &decision.provider, &anew.provider),
            ("contract", &decision.contract, &anew.contract),
            ("function", &decision.function, &anew.function),
        ];
        let mut changed = fields.iter().filter(|(_, found, expected)| found != expected);
        if let Some((field, found, expected)) = changed.next() {
            let message = format!("{field} '{found}' is not '{expected}', which the request resolves to");
            return Err(request.fault(Code::ProviderReselected, message));
        }
        if decision.digest != anew.digest {
            let message = "the request, contract or provider was edited after resolution";
            return Err(request
                .fault(Code::DefinitionEdited, message)
                .note(format!("decided {}", decision.digest))
                .note(format!("now {}", anew.digest)));
        }
        Ok(())
    }
}
