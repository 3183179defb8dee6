//! Choices inside a provider: they cover every call, and each exactly once.

use std::collections::{BTreeMap, BTreeSet};

use super::{KernelMap, QueryTiling, RuntimeDispatch, WorkPartitionRouting, WorkRoute};
use crate::circuit::Fact;
use crate::fault::Code;
use crate::v8::flaw::Flaw;

/// The key of a predicate that always holds.
const FALLBACK: &str = "fallback";

impl WorkRoute {
    /// Whether it is taken where no other is.
    pub(super) fn is_fallback(&self) -> bool {
        self.predicate.get(FALLBACK) == Some(&Fact::Bool(true))
    }

    /// What it states under a key.
    pub(super) fn value(&self, key: &str) -> Option<&Fact> {
        let configuration = self.configuration.as_ref().and_then(|configuration| configuration.get(key));
        self.predicate.get(key).or(configuration)
    }

    /// The keys it states something under.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.predicate.keys().chain(self.configuration.iter().flat_map(BTreeMap::keys)).map(String::as_str)
    }
}

pub(super) fn check(map: &KernelMap) -> Result<(), Flaw> {
    let Some(implementation) = &map.implementation else { return Ok(()) };
    if let Some(tiling) = &implementation.query_tiling {
        check_tiling(tiling)?;
    }
    if let Some(routing) = &implementation.work_partition_routing {
        check_work_routing(map, routing)?;
    }
    implementation.runtime_dispatch.as_ref().map_or(Ok(()), check_dispatch)
}

fn check_tiling(tiling: &QueryTiling) -> Result<(), Flaw> {
    let path = |n: usize| format!("implementation/query_tiling/routes/{n}");
    let fault = |n: usize, message: String| Err(Flaw::new(Code::BadQueryTiling, path(n), message));
    if tiling.routes.len() < 2 {
        let message = format!("expected at least two routes, found {}", tiling.routes.len());
        return Err(Flaw::new(Code::BadQueryTiling, "implementation/query_tiling/routes", message));
    }
    let mut functions = BTreeSet::new();
    // Some tables begin at none, some at one token; neither leaves a call without a route.
    let mut next = tiling.routes[0].min_tokens.min(1);
    let last = tiling.routes.len() - 1;
    for (n, route) in tiling.routes.iter().enumerate() {
        if route.min_tokens != next {
            let what = if route.min_tokens > next { "gap" } else { "overlap" };
            return fault(n, format!("{what}: expected min_tokens {next}, found {}", route.min_tokens));
        }
        if !functions.insert(&route.function) {
            return fault(n, format!("function '{}' has a route already", route.function));
        }
        match route.max_tokens.flatten() {
            None if n < last => return fault(n, "has no end, but is not the last route".to_owned()),
            Some(max) if n == last => return fault(n, format!("the last route ends at {max}")),
            Some(max) if max < route.min_tokens => {
                return fault(n, format!("max_tokens {max} is less than min_tokens {}", route.min_tokens));
            }
            None => {}
            Some(max) => next = max.saturating_add(1),
        }
    }
    Ok(())
}

fn check_work_routing(map: &KernelMap, routing: &WorkPartitionRouting) -> Result<(), Flaw> {
    let at = "implementation/work_partition_routing";
    let fault = |path: String, message: String| Err(Flaw::new(Code::BadRoute, path, message));
    if routing.dispatch_function != map.entry.function {
        let message = format!("'{}' is not '{}' of impl", routing.dispatch_function, map.entry.function);
        return fault(format!("{at}/dispatch_function"), message);
    }
    let mut ids = BTreeSet::new();
    for (n, route) in routing.routes.iter().enumerate() {
        let path = format!("{at}/routes/{n}");
        if !ids.insert(&route.id) {
            return fault(path, format!("route '{}' is given twice", route.id));
        }
        let pieces = map.implementation.iter().flat_map(|implementation| &implementation.threading.work_partition);
        if !pieces.into_iter().any(|piece| *piece == route.work_partition) {
            return fault(path, format!("threading.work_partition does not have {}", route.work_partition));
        }
        let predicate = format!("{path}/predicate");
        if route.predicate.is_empty() {
            return fault(predicate, "is empty; a route that always holds says 'fallback'".to_owned());
        }
        if route.predicate.contains_key(FALLBACK) {
            if route.predicate.len() > 1 || !route.is_fallback() {
                return fault(predicate, "'fallback' is true and stands alone".to_owned());
            }
            if n + 1 < routing.routes.len() {
                return fault(predicate, "is the fallback, but not the last route".to_owned());
            }
            continue;
        }
        let bounds: Result<BTreeMap<_, _>, _> = route.predicate.iter().map(|(key, value)| bound(key, value)).collect();
        bounds
            .and_then(|bounds| check_bounds(&bounds))
            .map_err(|reason| Flaw::new(Code::BadRoute, predicate, reason))?;
    }
    match routing.routes.last().is_some_and(WorkRoute::is_fallback) {
        true => Ok(()),
        false => fault(format!("{at}/routes"), "the last route is no fallback".to_owned()),
    }
}

fn bound<'k>(key: &'k str, value: &Fact) -> Result<(&'k str, u64), String> {
    match value {
        Fact::Integer(value) if *value >= 0 => Ok((key, value.unsigned_abs())),
        other => Err(format!("'{key}' must be an integer of at least 0, found {other}")),
    }
}

fn check_dispatch(dispatch: &RuntimeDispatch) -> Result<(), Flaw> {
    for (name, policy) in &dispatch.policies {
        let at = format!("implementation/runtime_dispatch/policies/{name}/routes");
        if policy.routes.is_empty() {
            return Err(Flaw::new(Code::BadRoute, at, "a policy has at least one route"));
        }
        for (n, route) in policy.routes.iter().enumerate() {
            let said = [
                ("m", route.m),
                ("min_m", route.min_m),
                ("max_m", route.max_m),
                ("n", route.n),
                ("min_n", route.min_n),
                ("max_n", route.max_n),
                ("k", route.k),
                ("min_k", route.min_k),
                ("max_k", route.max_k),
            ];
            let bounds = said.into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
            check_bounds(&bounds).map_err(|reason| Flaw::new(Code::BadRoute, format!("{at}/{n}"), reason))?;
        }
    }
    Ok(())
}

/// Each axis is bounded exactly or by a range; the error is a sentence.
fn check_bounds(bounds: &BTreeMap<&str, u64>) -> Result<(), String> {
    let axes: BTreeSet<_> =
        bounds.keys().map(|key| key.strip_prefix("min_").or(key.strip_prefix("max_")).unwrap_or(key)).collect();
    for axis in axes {
        let get = |key: String| bounds.get(key.as_str()).copied();
        let (min, max) = (get(format!("min_{axis}")), get(format!("max_{axis}")));
        if bounds.contains_key(axis) && (min.is_some() || max.is_some()) {
            return Err(format!("'{axis}' is bounded exactly and by a range"));
        }
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            return Err(format!("min_{axis} {min} is greater than max_{axis} {max}"));
        }
    }
    Ok(())
}
