//! Sums that are right to far more than the last place of a double.

/// Σ a·b over some pairs, up to the rounding of the result and near 2^−100 Σ |a·b|: of every product and of
/// every sum the rounding error is added up too.
pub(crate) fn sum_of_products(pairs: impl IntoIterator<Item = (f64, f64)>) -> f64 {
    let (mut sum, mut rest) = (0.0, 0.0);
    for (a, b) in pairs {
        let product = a * b;
        for term in [product, a.mul_add(b, -product)] {
            let next: f64 = sum + term;
            let added = next - sum;
            rest += (sum - (next - added)) + (term - added);
            sum = next;
        }
    }
    sum + rest
}
