//! A prompt in segments: a composite decides for each of them anew.

use cke_oracle::Element;

use super::calls::{Case, SMALL, bits, distance, native_run};

const COMPOSITE: &str = "f16_flash_auto_qtile64";
const SINGLE: &str = "f16_online_single_range";
const TILED: &str = "f16_kv_tiled64_fp32_softmax_fp64_sum_update";
const HALF: Case = Case { cache: [Element::Fp16; 2], width: 32, ..SMALL };

/// A prompt of 1027 rows, fed as 5, 1008 and 14: the middle one goes to another part than those around it, so that
/// neither part by itself is right.
#[test]
fn regression_05_the_threshold_of_query_rows_starts_anew_with_every_segment() {
    let mut position = 0;
    let mut wrong = [0; 2];
    for rows in [5, 1008, 14] {
        let case = Case { rows, position, heads: 1, width: 8, ..HALF };
        let found = native_run(COMPOSITE, &case);
        let parts = [SINGLE, TILED].map(|part| native_run(part, &case));
        let own = usize::from(rows >= 64);
        assert_eq!(bits(&found), bits(&parts[own]), "{rows} rows at {position}");
        for (part, wrong) in parts.iter().zip(&mut wrong) {
            *wrong += bits(part).iter().zip(bits(&found)).filter(|(one, other)| *one != other).count();
        }
        println!("{rows} rows at {position}: the other part is {} off", distance(&found, &parts[1 - own]));
        position += rows;
    }
    let [single, tiled] = wrong;
    println!("of {} values, {single} differ by one part alone and {tiled} by the other", position * 8);
    assert!(single > 0 && tiled > 0);
}

#[test]
fn regression_05_64_rows_are_the_threshold() {
    for rows in [62, 63, 64, 65] {
        let case = Case { rows, position: 13, ..HALF };
        let (part, other) = if rows < 64 { (SINGLE, TILED) } else { (TILED, SINGLE) };
        let found = bits(&native_run(COMPOSITE, &case));
        assert_eq!(found, bits(&native_run(part, &case)), "{rows} rows");
        assert!(found != bits(&native_run(other, &case)), "{rows} rows");
    }
}

#[test]
fn regression_25_segments_and_one_prefill_are_two_schedules() {
    let whole = native_run(COMPOSITE, &Case { rows: 70, position: 0, ..HALF });
    let single = native_run(SINGLE, &Case { rows: 70, position: 0, ..HALF });
    assert!(bits(&whole[..60 * 64]) != bits(&single[..60 * 64]), "60 rows alone follow another part");
}
