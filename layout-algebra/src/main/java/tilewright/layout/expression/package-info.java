/**
 * The language of {@code layout eval}: literals in CuTe's notation, CuTe's operations by their names, {@code A ∘ B},
 * and evaluation at a coordinate; {@link tilewright.layout.expression.Expression} reads and evaluates it.
 */
package tilewright.layout.expression;
