/**
 * The grammar of CuTe's notation: {@link tilewright.layout.syntax.Parser} turns a text into a tree that knows where
 * each part stood. Both the literals of {@code tilewright.layout} and the expression language read through it.
 */
package tilewright.layout.syntax;
