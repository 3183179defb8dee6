//! Places buffers with lifetimes into one arena. Pure arithmetic: knows nothing of IR.
//!
//! Two buffers interfere when their lifetimes share a step; interfering buffers get disjoint byte ranges. Offsets are
//! a function of the input alone, so the same program is always planned the same way.

use petgraph::graph::{NodeIndex, UnGraph};

/// Every offset is a multiple of this: a cache line, and the widest vector load.
pub const ALIGNMENT: u64 = 64;

/// A buffer's size in bytes and the first and last step (inclusive) at which it is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetime {
    /// Size in bytes.
    pub bytes: u64,
    /// The step that defines it.
    pub first: usize,
    /// The last step that reads or writes it.
    pub last: usize,
}

impl Lifetime {
    /// Whether both are in use at some step.
    pub fn interferes(&self, other: &Lifetime) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// Where each buffer lies, and the extent of the whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Offset in bytes of each buffer, in the order of the input.
    pub offsets: Vec<u64>,
    /// Extent of the arena in bytes, a multiple of [`ALIGNMENT`].
    pub bytes: u64,
}

/// Rounds up to [`ALIGNMENT`]; `None` when that exceeds 64 bits.
pub fn align(bytes: u64) -> Option<u64> {
    bytes.checked_next_multiple_of(ALIGNMENT)
}

/// Places every buffer: the largest first, each at the lowest gap that its placed neighbours leave.
///
/// `None` when an offset exceeds 64 bits.
pub fn place(buffers: &[Lifetime]) -> Option<Plan> {
    let graph = interference(buffers);
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(buffers[i].bytes), buffers[i].first, i));

    let mut placed: Vec<Option<u64>> = vec![None; buffers.len()];
    let mut bytes = 0;
    for i in order {
        let mut taken: Vec<(u64, u64)> = graph
            .neighbors(NodeIndex::new(i))
            .filter_map(|n| placed[n.index()].map(|offset| (offset, buffers[n.index()].bytes)))
            .map(|(offset, size)| Some((offset, offset.checked_add(align(size)?)?)))
            .collect::<Option<_>>()?;
        taken.sort_unstable();
        let size = align(buffers[i].bytes)?;
        let mut offset = 0_u64;
        for (start, end) in taken {
            if offset.checked_add(size)? <= start {
                break;
            }
            offset = offset.max(end);
        }
        bytes = bytes.max(offset.checked_add(size)?);
        placed[i] = Some(offset);
    }
    let offsets = placed.into_iter().map(|o| o.expect("every buffer is in `order`")).collect();
    Some(Plan { offsets, bytes })
}

/// The first pair of interfering buffers whose byte ranges overlap, or the first buffer outside the arena (paired with
/// itself). Recomputes everything from the definition, independently of [`place`].
pub fn conflict(buffers: &[Lifetime], plan: &Plan) -> Option<(usize, usize)> {
    let end = |i: usize| plan.offsets[i].checked_add(buffers[i].bytes);
    for i in 0..buffers.len() {
        match end(i) {
            Some(e) if e <= plan.bytes && plan.offsets[i].is_multiple_of(ALIGNMENT) => {}
            _ => return Some((i, i)),
        }
        for j in 0..i {
            let apart = end(i).is_some_and(|e| e <= plan.offsets[j]) || end(j).is_some_and(|e| e <= plan.offsets[i]);
            if buffers[i].interferes(&buffers[j]) && !apart && buffers[i].bytes > 0 && buffers[j].bytes > 0 {
                return Some((j, i));
            }
        }
    }
    None
}

fn interference(buffers: &[Lifetime]) -> UnGraph<(), ()> {
    let mut graph = UnGraph::with_capacity(buffers.len(), buffers.len());
    for _ in buffers {
        graph.add_node(());
    }
    // Sweep by first step, so that only buffers alive together are paired.
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|&i| (buffers[i].first, i));
    let mut alive: Vec<usize> = Vec::new();
    for i in order {
        alive.retain(|&j| buffers[j].last >= buffers[i].first);
        for &j in &alive {
            graph.add_edge(NodeIndex::new(j), NodeIndex::new(i), ());
        }
        alive.push(i);
    }
    graph
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn life(bytes: u64, first: usize, last: usize) -> Lifetime {
        Lifetime { bytes, first, last }
    }

    #[test]
    fn buffers_that_never_meet_share_their_place() {
        let plan = place(&[life(100, 0, 1), life(100, 2, 3)]).unwrap();
        assert_eq!(plan, Plan { offsets: vec![0, 0], bytes: 128 });
    }

    #[test]
    fn a_buffer_read_where_another_is_written_keeps_its_place() {
        let plan = place(&[life(64, 0, 2), life(64, 2, 3)]).unwrap();
        assert_eq!(plan, Plan { offsets: vec![0, 64], bytes: 128 });
    }

    #[test]
    fn sizes_beyond_64_bits_are_refused() {
        assert_eq!(place(&[life(u64::MAX, 0, 0)]), None);
        assert_eq!(place(&[life(1 << 63, 0, 1), life(1 << 63, 0, 1)]), None);
    }

    #[test]
    fn the_checker_sees_an_overlap_and_an_overrun() {
        let buffers = [life(64, 0, 1), life(64, 1, 2)];
        assert_eq!(conflict(&buffers, &Plan { offsets: vec![0, 0], bytes: 64 }), Some((0, 1)));
        assert_eq!(conflict(&buffers, &Plan { offsets: vec![0, 64], bytes: 64 }), Some((1, 1)));
        assert_eq!(conflict(&buffers, &Plan { offsets: vec![0, 32], bytes: 128 }), Some((1, 1)));
        assert_eq!(conflict(&buffers, &Plan { offsets: vec![0, 64], bytes: 128 }), None);
    }

    proptest! {
        #[test]
        fn a_plan_never_conflicts(raw in prop::collection::vec((0_u64..5000, 0_usize..40, 0_usize..10), 0..60)) {
            let buffers: Vec<Lifetime> = raw.iter().map(|&(bytes, first, len)| life(bytes, first, first + len)).collect();
            let plan = place(&buffers).unwrap();
            prop_assert_eq!(conflict(&buffers, &plan), None);
        }
    }
}
