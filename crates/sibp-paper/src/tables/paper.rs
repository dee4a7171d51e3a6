//! Holds the numbers of the paper's tables 1 to 3: means and standard deviations in percent, by number of categories.

use super::entries::System;

/// Mean and deviation by number of neighbours: 1, 3, 15, 30.
pub type Figures = [(f64, f64); 4];

/// Table 1, and the column "last" of Table 3; the paper reports 5 and 10 categories.
pub fn accuracy(n_classes: Option<usize>, system: System) -> Option<Figures> {
    let (five, ten): (Figures, Figures) = match system {
        // Does not depend on the number of neighbours.
        System::Hash => ([(26.3, 2.2); 4], [(12.7, 2.5); 4]),
        System::Ibp => {
            ([(30.3, 2.0), (29.5, 2.9), (31.5, 2.6), (29.5, 3.2)], [(17.1, 3.1), (17.9, 2.8), (16.4, 2.5), (17.7, 3.4)])
        }
        System::InputDdIbp => {
            ([(27.9, 6.3), (29.6, 3.6), (27.8, 2.8), (24.3, 3.0)], [(12.9, 2.6), (13.1, 2.4), (14.7, 2.3), (14.5, 1.9)])
        }
        System::OutputDdIbp => {
            ([(29.7, 3.5), (31.0, 1.4), (28.1, 3.2), (23.6, 3.4)], [(15.9, 2.3), (15.3, 2.3), (15.1, 1.8), (14.0, 1.9)])
        }
        System::SuperGaussian => {
            ([(33.8, 1.6), (34.6, 2.3), (35.5, 1.0), (33.8, 0.7)], [(17.3, 1.2), (18.2, 1.2), (18.0, 1.5), (18.3, 1.4)])
        }
        System::SuperProbit | System::Letter => {
            ([(42.8, 2.4), (41.9, 3.4), (44.5, 2.1), (45.9, 4.1)], [(25.0, 2.9), (25.1, 3.0), (26.6, 2.7), (27.5, 2.4)])
        }
        System::Reference => {
            ([(40.9, 4.7), (40.2, 3.4), (39.3, 3.7), (36.1, 2.8)], [(25.0, 2.2), (26.0, 1.7), (27.8, 2.8), (25.8, 1.4)])
        }
        System::TransformedReference | System::Svm | System::TransformedSvm => return None,
    };
    by_classes(n_classes, five, ten)
}

/// Table 2: the linear SVM.
pub fn svm(n_classes: Option<usize>) -> Option<(f64, f64)> {
    by_classes(n_classes, (43.3, 4.0), (29.0, 3.3))
}

/// Table 3: the average over the last 50 draws.
pub fn average(n_classes: Option<usize>) -> Option<Figures> {
    let five = [(42.7, 3.2), (44.0, 2.7), (46.5, 2.3), (46.5, 2.3)];
    by_classes(n_classes, five, [(25.5, 3.9), (27.1, 2.9), (27.7, 2.3), (27.2, 2.7)])
}

fn by_classes<T>(n_classes: Option<usize>, five: T, ten: T) -> Option<T> {
    match n_classes {
        Some(5) => Some(five),
        Some(10) => Some(ten),
        _ => None,
    }
}
