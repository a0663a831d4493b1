package tilewright.sm90;

import java.util.List;
import tilewright.kernels.choice.Formula;

/**
 * A tile that problems of some types and orders can have: the problem has the one that takes the least time. Formulas
 * are of the extents M, N, K and L and the strides A_s and B_s of rows, or columns, of the operands.
 *
 * @param tile the name, as {@link Sm90Gemms#tiles} has it
 * @param microseconds the time that a model expects
 * @param features by which that time is corrected; none where it is not
 * @param form a number for each kernel that the tile has for problems of one form
 * @param blocks CTAs of a launch
 */
public record TileChoice(String tile, Formula microseconds, List<Formula> features, Formula form, Formula blocks) {}
