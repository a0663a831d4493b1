package tilewright.layout.syntax;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trees by the grammar, and where each part stands. */
class ParserTest {

  @Test
  void integersMayCarryCutesMarkOfStaticOnes() {
    assertEquals(new Node.Number(4, 0), Parser.parse("4"));
    assertEquals(new Node.Number(90, 2), Parser.parse("  90 "));
    assertEquals(new Node.Number(-3, 0), Parser.parse("-3"));
    assertEquals(new Node.Number(7, 1), Parser.parse("_7"));
    assertEquals(new Node.Free(1), Parser.parse(" _"));
    assertEquals(new Node.Number(Long.MAX_VALUE, 0), Parser.parse("9223372036854775807"));
  }

  @Test
  void bracketsHoldElements() {
    var elements = List.<Node>of(new Node.Number(4, 1), new Node.Number(2, 3));
    assertEquals(new Node.Tuple(elements, 0), Parser.parse("(4,2)"));
    assertEquals(new Node.Tuple(List.of(), 0), Parser.parse("()"));
    assertEquals(new Node.ByMode(elements, 0), Parser.parse("[4,2]"));
    assertEquals(new Node.ByMode(elements, 0), Parser.parse("[4;2]"));
    assertEquals(new Node.ByMode(elements, 0), Parser.parse("<4;2>"));
    assertEquals(new Node.Tuple(List.of(new Node.Number(4, 2), new Node.Number(2, 4)), 0), Parser.parse("( 4,2 ) "));
  }

  @Test
  void aColonMakesALayoutThatStandsWhereItsShapeDoes() {
    var layout = new Node.Strided(new Node.Number(4, 1), new Node.Number(1, 5), 3);
    assertEquals(layout, Parser.parse(" 4 : 1"));
    assertEquals(1, layout.position());
  }

  @Test
  void basisElementsAreMultipliedAndAdded() {
    var one = new Node.Basis(1, List.of(0), 0);
    assertEquals(one, Parser.parse("1@0"));
    assertEquals(one, Parser.parse("1 @ 0"));
    assertEquals(new Node.Basis(-2, List.of(1, 0), 0), Parser.parse("-2@1@0"));
    assertEquals(new Node.Sum(List.of(one, new Node.Basis(2, List.of(1), 4)), 0), Parser.parse("1@0+2@1"));
    assertEquals(new Node.Sum(List.of(one, new Node.Basis(2, List.of(1), 7)), 0), Parser.parse("1@0 +  2@1"));
    assertEquals(new Node.Basis(3, List.of(Integer.MAX_VALUE), 0), Parser.parse("3@2147483647"));
  }

  @Test
  void basisTypesNameTheOutermostModeFirst() {
    assertEquals(new Node.Basis(1, List.of(2, 0), 1), Parser.parse(" E<0,2>"));
    assertEquals(new Node.Basis(1, List.of(Integer.MAX_VALUE), 0), Parser.parse("E<2147483647>"));
    assertEquals(new Node.Number(1, 0), Parser.parse("E<>"));
    assertEquals(new Node.Number(1, 0), Parser.parse("E"));
  }

  @Test
  void xorStridesHaveACaret() {
    assertEquals(new Node.Xor(9, 0), Parser.parse("^9"));
    assertEquals(new Node.Xor(9, 1), Parser.parse(" ^ 9"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Sw<3,4,-2>", "S<3,4,-2>", "Swizzle<3,4,-2>"})
  void swizzlesHaveThreeNames(String text) {
    assertEquals(new Node.Swizzled(3, 4, -2, 0), Parser.parse(text));
  }

  @Test
  void anOffsetStandsBetweenASwizzleAndItsLayout() {
    var swizzle = new Node.Swizzled(1, 0, 1, 1);
    var layout = new Node.Strided(new Node.Number(4, 17), new Node.Number(1, 19), 18);
    var composed = new Node.Composed(swizzle, new Node.Number(2, 13), layout);
    assertEquals(composed, Parser.parse(" Sw<1,0,1> o 2 o 4:1"));
    assertEquals(1, composed.position());
  }

  @Test
  void anArrowMakesAMorphism() {
    var morphism = new Node.Morphism(new Node.Number(4, 1), new Node.Number(8, 3), new Node.Number(1, 5));
    assertEquals(morphism, Parser.parse(" 4→8:1"));
    assertEquals(1, morphism.position());
    assertEquals(new Node.Morphism(new Node.Number(4, 0), new Node.Number(-8, 4), new Node.Number(1, 9)),
        Parser.parse("4 ->-8 : 1"));
  }

  @Test
  void compositionsNestToTheLeft() {
    var ab = new Node.Composition(layout(0), layout(4), 3);
    assertEquals(ab, Parser.parse("4:1∘4:1"));
    assertEquals(ab, Parser.parse("4:1o4:1"));
    assertEquals(new Node.Composition(ab, layout(8), 7), Parser.parse("4:1∘4:1∘4:1"));
    // Without a second 'o' the number is an operand.
    assertEquals(new Node.Composition(layout(0), new Node.Number(2, 4), 3), Parser.parse("4:1o2"));
  }

  private static Node layout(int position) {
    return new Node.Strided(new Node.Number(4, position), new Node.Number(1, position + 2), position + 1);
  }

  @Test
  void templateParametersFollowTheOperands() {
    var four = new Node.Number(4, 5);
    assertEquals(new Node.Call("f", List.of(four, new Node.Number(1, 2)), 0), Parser.parse("f<1>(4)"));
    assertEquals(new Node.Call("f", List.of(), 0), Parser.parse("f()"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "z", "A", "Z", "a_0", "Z9z_Aa"})
  void namesAreLettersDigitsAndUnderscores(String name) {
    assertEquals(new Node.Call(name, List.of(), 0), Parser.parse(name + "()"));
  }

  @Test
  void whatStandsInParenthesesBehindALayoutIsACoordinate() {
    var at3 = new Node.Application(layout(0), new Node.Number(3, 4), 3);
    assertEquals(at3, Parser.parse("4:1(3)"));
    assertEquals(new Node.Application(at3, new Node.Number(2, 7), 6), Parser.parse("4:1(3)(2)"));
    var pair = new Node.Tuple(List.of(new Node.Number(3, 4), new Node.Free(6)), 3);
    assertEquals(new Node.Application(layout(0), pair, 3), Parser.parse("4:1(3,_)"));
  }
}
