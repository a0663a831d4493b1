package tilewright.layout.syntax;

import java.util.List;

/** A part of a text, not evaluated; {@code position} is where it begins, counted from 0. */
public sealed interface Node {

  int position();

  record Number(long value, int position) implements Node {}

  /** {@code 3@0@1}: a multiple of a basis element. */
  record Basis(long scale, List<Integer> path, int position) implements Node {}

  /** {@code 1@0+2@1}: a sum of integers and multiples of basis elements. */
  record Sum(List<Node> terms, int position) implements Node {}

  /** {@code ^9}: a stride whose multiples are carry-less products, added by XOR. */
  record Xor(long stride, int position) implements Node {}

  /** {@code _}. */
  record Free(int position) implements Node {}

  /** {@code (a,b,…)}; a single element may also be an expression in parentheses. */
  record Tuple(List<Node> elements, int position) implements Node {}

  /** {@code shape:stride}. */
  record Strided(Node shape, Node stride, int colon) implements Node {
    @Override
    public int position() {
      return shape.position();
    }
  }

  /** {@code [a;b]} or {@code <a;b>}. */
  record ByMode(List<Node> modes, int position) implements Node {}

  /** {@code Sw<3,4,3>}. */
  record Swizzled(long bits, long base, long shift, int position) implements Node {}

  /** {@code A o offset o B}. */
  record Composed(Node outer, Number offset, Node inner) implements Node {
    @Override
    public int position() {
      return outer.position();
    }
  }

  /** {@code domain→codomain:positions}, a morphism of tuples. */
  record Morphism(Node domain, Node codomain, Node positions) implements Node {
    @Override
    public int position() {
      return domain.position();
    }
  }

  /** {@code A ∘ B} or {@code A o B}. */
  record Composition(Node outer, Node inner, int position) implements Node {}

  /** {@code name<1,2>(a,b)}; the numbers follow the operands. */
  record Call(String name, List<Node> operands, int position) implements Node {}

  /** {@code A(coordinate)}. */
  record Application(Node map, Node coordinate, int position) implements Node {}
}
