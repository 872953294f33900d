//! Sums of pairs.

use std::ops::{Add, AddAssign, Sub, SubAssign};

/// G and H of some pairs, in quanta: whole numbers below 2^53, so that sums of doubles are exact and in no order.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(16))]
pub(super) struct Sums {
    pub(super) g: f64,
    pub(super) h: f64,
}

impl Add for Sums {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { g: self.g + other.g, h: self.h + other.h }
    }
}

impl Sub for Sums {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { g: self.g - other.g, h: self.h - other.h }
    }
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Sums {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}
