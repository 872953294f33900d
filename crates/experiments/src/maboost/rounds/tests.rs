//! Every column of the tables by round has the numbers of its heading.

use super::super::fixtures::{histories, history, snapshot};
use super::*;

#[test]
fn every_column_has_the_numbers_of_its_heading() {
    let of = |snapshots, share| history(Method::Entropy, snapshots, 0, share);
    let all = [histories(vec![
        vec![of(vec![snapshot(1, 0.5), snapshot(10, 0.25)], 0.25)],
        vec![of(vec![snapshot(1, 0.75)], 0.75)],
    ])];
    let text = rounds(&all);
    let lines: Vec<&str> = text.lines().collect();
    let key = "spambase,stumps,official,2,\"entropy\"";
    assert_eq!(
        lines,
        [
            "set,learner,data,trials,method,round,training error,test error,bound,sharper bound,least margin,bound on the \
         margin,sum of squared edges,share of zero weights,share of weights at the cap,passes over the rows",
            &format!("{key},1,0.62500,0.87500,1.1250,1.3750,1.6250,2.6250,3.6250,4.6250,5.6250,6.6250"),
            &format!("{key},10,0.50000,0.75000,1.0000,1.2500,1.5000,2.5000,3.5000,4.5000,5.5000,6.5000"),
        ]
    );
    let text = margins(&all);
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("set,learner,data,trials,method,after round,-1,-0.98,")
            && lines[0].ends_with(",0.98,1")
    );
    assert!(lines[1].starts_with(&format!("{key},10,0.50000,0.50000,")), "{}", lines[1]);
    assert!(lines[2].starts_with(&format!("{key},last,0.50000,0.50000,")), "{}", lines[2]);
    assert_eq!(lines.len(), 3, "no trial came to a hundred rounds");
}
