//! `embedding` and `kv_append`: bits are copied.

use cke_contracts::layout::Layout;

use super::support::{GARBAGE, Run, bits, native, noise};

/// Bit patterns arithmetic would change: signalling and negative NaN, -0, subnormals.
const DELICATE: [u32; 6] = [0x7f80_0001, 0xffff_ffff, 0x8000_0000, 0x0000_0001, 0xff80_0000, 0x7fc0_0000];

fn embedding(tokens: &[u32], vocab: usize, table: &[u32]) -> Run {
    let dim = table.len() / vocab;
    Run::new("embedding", native("embedding"))
        .shape(&[("vocab", vocab as i64), ("dim", dim as i64)])
        .bits("tokens", Layout::RowMajor, &[tokens.len()], tokens)
        .bits("table", Layout::PanelsN32, &[vocab, dim], table)
        .output("y", Layout::RowMajor, &[tokens.len(), dim])
        .at(tokens.len(), 17)
}

#[test]
fn rows_of_the_table() {
    let table: Vec<u32> = (0..70 * 3).collect();
    let y = embedding(&[69, 0, 33, 33], 70, &table).result("y");
    assert_eq!(y, [207, 208, 209, 0, 1, 2, 99, 100, 101, 99, 100, 101]);
}

#[test]
fn embedding_keeps_every_bit() {
    assert_eq!(embedding(&[0], 1, &DELICATE).result("y"), DELICATE);
}

#[test]
fn tokens_outside_the_vocabulary_are_errors() {
    let error = embedding(&[0, 70], 70, &[0; 70]).error();
    assert_eq!(error, "embedding: row 1 has token 70, expected 0 to below 70");
    let error = embedding(&[u32::MAX], 70, &[0; 70]).error();
    assert_eq!(error, "embedding: row 0 has token -1, expected 0 to below 70");
}

const HEADS: usize = 2;
const WIDTH: usize = 3;
const CAPACITY: usize = 20;

fn kv_append(k: &[u32], v: &[u32], position: usize) -> Run {
    let rows = k.len() / (HEADS * WIDTH);
    let cache = [HEADS, CAPACITY, WIDTH];
    Run::new("kv_append", native("kv_append"))
        .shape(&[("kv_heads", HEADS as i64), ("head_dim", WIDTH as i64), ("capacity", CAPACITY as i64)])
        .bits("k", Layout::RowMajor, &[rows, HEADS * WIDTH], k)
        .bits("v", Layout::RowMajor, &[rows, HEADS * WIDTH], v)
        .output("k_cache", Layout::KBlocksT16, &cache)
        .output("v_cache", Layout::HeadMajor, &cache)
        .at(rows, position)
}

#[test]
fn rows_go_to_their_positions_head_by_head() {
    let (k, v) = (bits(&noise(1, 3 * 6)), bits(&noise(2, 3 * 6)));
    let mut run = kv_append(&k, &v, 15);
    run.execute().expect("a valid call");
    let (keys, values) = (run.read("k_cache"), run.read("v_cache"));
    for head in 0..HEADS {
        for position in 0..CAPACITY {
            for d in 0..WIDTH {
                let at = (head * CAPACITY + position) * WIDTH + d;
                let expected = if (15..18).contains(&position) {
                    let from = (position - 15) * HEADS * WIDTH + head * WIDTH + d;
                    (k[from], v[from])
                } else {
                    (GARBAGE, GARBAGE)
                };
                assert_eq!((keys[at], values[at]), expected, "head {head} position {position} element {d}");
            }
        }
    }
}

#[test]
fn caches_keep_every_bit() {
    let mut run = kv_append(&DELICATE, &DELICATE, 0);
    run.execute().expect("a valid call");
    assert_eq!(run.read("v_cache")[..3], DELICATE[..3]);
    assert_eq!(run.read("k_cache")[CAPACITY * WIDTH..CAPACITY * WIDTH + 3], DELICATE[3..]);
}

#[test]
fn rows_beyond_the_capacity_are_errors() {
    let rows = bits(&noise(1, 3 * 6));
    assert!(kv_append(&rows, &rows, 17).execute().is_ok());
    let error = kv_append(&rows, &rows, 18).error();
    assert_eq!(error, "kv_append: position 18 with 3 rows goes beyond 'capacity', which is 20");
    assert!(kv_append(&rows, &rows, usize::MAX).error().contains("goes beyond"));
}
