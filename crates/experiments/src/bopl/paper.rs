//! The paper's figures, for comparison with ours.

use super::methods::Method;
use super::task_name::TaskName;
use datasets::ClassificationName;

/// A mean over ten trials and half the length of its 95% interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Printed {
    /// The mean.
    pub mean: f64,
    /// Half the length.
    pub half_width: f64,
}

/// Covertype, Fashion-MNIST, Scene, TMC2007-500: mean and half-width.
type Line = [(f64, f64); 4];

/// The rows of \[L23, Table 1\].
const TABLE_1: [(Method, Line); 9] = [
    (Method::Logging, [(0.4907, 0.0024), (0.4708, 0.0009), (0.4317, 0.0042), (0.3187, 0.0029)]),
    (Method::BrrGb, [(0.9033, 0.0015), (0.8652, 0.0012), (0.6328, 0.0319), (0.7288, 0.0046)]),
    (Method::BrrXgb, [(0.9465, 0.0004), (0.8739, 0.0011), (0.6854, 0.0189), (0.7742, 0.0034)]),
    (Method::Drr, [(0.8878, 0.0011), (0.8947, 0.0019), (0.7636, 0.0098), (0.7787, 0.0038)]),
    (Method::BanditNet, [(0.8565, 0.0019), (0.8921, 0.0025), (0.7794, 0.0124), (0.7603, 0.0076)]),
    (Method::BoplRegr, [(0.9504, 0.0005), (0.8893, 0.0016), (0.7778, 0.0105), (0.7361, 0.0047)]),
    (Method::BoplClass, [(0.9262, 0.0010), (0.8775, 0.0012), (0.7651, 0.0112), (0.7131, 0.0039)]),
    (Method::BoplSRegr, [(0.9531, 0.0007), (0.8876, 0.0022), (0.7703, 0.0132), (0.7399, 0.0030)]),
    (Method::BoplSClass, [(0.9191, 0.0010), (0.8759, 0.0014), (0.7877, 0.0091), (0.7339, 0.0051)]),
];

/// The direct method's estimates in \[L23, Table 2\], on Scene and TMC2007-500; its model is BRR-xgb.
const TABLE_2: [(&str, [(f64, f64); 2]); 2] =
    [("BRR-xgb", [(0.5126, 0.0103), (0.7609, 0.0027)]), ("BOPL-regr", [(0.4972, 0.0099), (0.7023, 0.0034)])];

impl Printed {
    fn of((mean, half_width): (f64, f64)) -> Self {
        Self { mean, half_width }
    }

    /// The test reward of a method in \[L23, Table 1\].
    ///
    /// ```
    /// use experiments::bopl::{methods::Method, paper::Printed, task_name::TaskName::Tmc};
    /// assert_eq!(Printed::table_1(Method::BoplSRegr, Tmc).map(|found| found.mean), Some(0.7399));
    /// assert_eq!(Printed::table_1(Method::VectorLeaves, Tmc), None);
    /// ```
    #[must_use]
    pub fn table_1(method: Method, task: TaskName) -> Option<Self> {
        let line = TABLE_1.iter().find(|(name, _)| *name == method)?;
        line.1.get(task.column()?).copied().map(Self::of)
    }

    /// The direct method's rows of \[L23, Table 2\].
    pub(super) fn table_2(task: TaskName) -> impl Iterator<Item = (&'static str, Self)> {
        let column = match task.classification() {
            Some(ClassificationName::Scene) => Some(0),
            Some(ClassificationName::Tmc) => Some(1),
            _ => None,
        };
        let cell = move |(name, line): (&'static str, [(f64, f64); 2])| Some((name, Self::of(line[column?])));
        TABLE_2.into_iter().filter_map(cell)
    }

    /// The position of a mean relative to the printed interval.
    pub(super) fn verdict(self, mean: f64) -> &'static str {
        if mean < self.mean - self.half_width {
            "below"
        } else if mean <= self.mean + self.half_width {
            "within"
        } else {
            "above"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// \[L23, Tables 1 and 2\], transcribed a second time, line by line.
    const PRINTED: &str = "
        Logging      0.4907±0.0024 0.4708±0.0009 0.4317±0.0042 0.3187±0.0029
        BRR-gb       0.9033±0.0015 0.8652±0.0012 0.6328±0.0319 0.7288±0.0046
        BRR-xgb      0.9465±0.0004 0.8739±0.0011 0.6854±0.0189 0.7742±0.0034
        DRR          0.8878±0.0011 0.8947±0.0019 0.7636±0.0098 0.7787±0.0038
        BanditNet    0.8565±0.0019 0.8921±0.0025 0.7794±0.0124 0.7603±0.0076
        BOPL-regr    0.9504±0.0005 0.8893±0.0016 0.7778±0.0105 0.7361±0.0047
        BOPL-class   0.9262±0.0010 0.8775±0.0012 0.7651±0.0112 0.7131±0.0039
        BOPL-S-regr  0.9531±0.0007 0.8876±0.0022 0.7703±0.0132 0.7399±0.0030
        BOPL-S-class 0.9191±0.0010 0.8759±0.0014 0.7877±0.0091 0.7339±0.0051
        DM:BRR-xgb   – – 0.5126±0.0103 0.7609±0.0027
        DM:BOPL-regr – – 0.4972±0.0099 0.7023±0.0034";

    #[test]
    fn every_figure_is_under_its_method_and_task() {
        let text = |printed: Printed| format!("{:.4}±{:.4}", printed.mean, printed.half_width);
        for (column, task) in TaskName::PAPER.into_iter().enumerate() {
            let ours = Method::ALL
                .into_iter()
                .filter_map(|method| Some((method.name().to_owned(), text(Printed::table_1(method, task)?))));
            let of_model =
                Printed::table_2(task).map(|(name, printed)| (format!("DM:{name}"), text(printed)));
            let mut found: Vec<_> = ours.chain(of_model).collect();
            let lines = PRINTED.lines().filter(|line| !line.trim().is_empty());
            let cell = |line: &str| {
                let mut words = line.split_whitespace().map(str::to_owned);
                Some((words.next()?, words.nth(column).filter(|cell| cell != "–")?))
            };
            let mut expected: Vec<_> = lines.filter_map(cell).collect();
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{task}");
        }
        use TaskName::{Covertype, Fashion, Scene, Tmc};
        assert_eq!(TaskName::PAPER, [Covertype, Fashion, Scene, Tmc], "the columns of the tables");
    }

    #[test]
    fn a_mean_is_below_within_or_above() {
        let printed = Printed { mean: 0.5, half_width: 0.25 };
        let verdicts = [0.24, 0.25, 0.75, 0.76].map(|mean| printed.verdict(mean));
        assert_eq!(verdicts, ["below", "within", "within", "above"]);
    }
}
