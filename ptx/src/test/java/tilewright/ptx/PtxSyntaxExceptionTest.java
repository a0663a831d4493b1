package tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Bad text is refused where it is bad; the position is marked by the character before the offending text. */
class PtxSyntaxExceptionTest {
  private static final String MARK = "¦";
  private static final String HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n";
  private static final String KERNEL = HEAD + ".entry k()\n{\n";

  static List<Arguments> mistakes() {
    return List.of(
        mistake("¦hello", "hello", "'.version'"),
        mistake("¦", "", "'.version'"),
        mistake(".version ¦eight", "eight", "a version such as 8.0"),
        mistake(".version ¦8", "8", "a version such as 8.0"),
        mistake(".version 8.0 ¦.entry", ".entry", "'.target'"),
        mistake(".version 8.0 .target sm_80 .address_size ¦16", "16", "32 or 64"),
        mistake(HEAD + "¦ret;", "ret", "a variable, a function or '.file'"),
        mistake(HEAD + ".file 1 ¦name", "name", "a path in quotes"),
        mistake(HEAD + ".global ¦.f31 x;", ".f31", "a type such as '.b32'"),
        mistake(HEAD + ".global ¦.v8 .b32 x;", ".v8", "a type such as '.b32'"),
        mistake(HEAD + "¦.ENTRY k() {}", ".ENTRY", "a variable, a function or '.file'"),
        mistake(HEAD + ".global .align ¦3 .b8 x;", "3", "an alignment that is a power of two"),
        mistake(HEAD + ".global .b8 x[¦0];", "0", "an array's extent of at least 1"),
        mistake(HEAD + ".global .b8 x[2][¦];", "]", "an array's extent"),
        mistake(HEAD + ".global .b8 x = {1, ¦};", "}", "a constant"),
        mistake(HEAD + ".global .b8 x = {1¦;", ";", "',' or '}'"),
        mistake(HEAD + ".global .b8 x¦", "", "',' or ';'"),
        mistake(HEAD + ".global .attribute(.managed¦; .u32 x;", ";", "')'"),
        mistake(HEAD + "¦.reg .b32 x;", ".reg", "a variable in memory"),
        mistake(HEAD + ".entry k(¦.shared .u32 x)", ".shared", "'.param'"),
        mistake(HEAD + ".entry k(.param .u32 x¦;", ";", "',' or ')'"),
        mistake(HEAD + ".entry k() ¦.maxthreads 3 {}", ".maxthreads", "a directive such as '.maxntid'"),
        mistake(HEAD + ".entry ¦k.x()", "k.x", "a function's name"),
        mistake(KERNEL + "ret;\n¦", "", "a statement or '}'"),
        mistake(KERNEL + "ret;\n}\n¦}", "}", "a variable, a function or '.file'"),
        mistake(KERNEL + "\tadd.s32 %r1, ¦, %r2;", ",", "an operand"),
        mistake(KERNEL + "add.s32 %r1, %r2\n  ¦ret;", "ret", "',' or ';'"),
        mistake(KERNEL + "ld.b32 %r1, [%r2+¦x];", "x", "an integer offset"),
        mistake(KERNEL + "ld.b32 %r1, [%r2 ¦%r3];", "%r3", "'+', ',' or ']'"),
        mistake(KERNEL + "ld.b32 %r1, [¦_];", "_", "a register, a symbol or an address"),
        mistake(KERNEL + "mov.b64 %d, {%r1 ¦%r2};", "%r2", "',' or '}'"),
        mistake(KERNEL + "mov.b32 %r1, ¦0x;", "0x", "a number"),
        mistake(KERNEL + "mov.b32 %r1, ¦09;", "09", "a number"),
        mistake(KERNEL + "mov.b32 %r1, ¦12ab;", "12ab", "a number"),
        mistake(KERNEL + "mov.b32 %r1, ¦1.5f;", "1.5f", "a number"),
        mistake(KERNEL + "mov.f32 %f1, ¦0f3F8000;", "0f3F8000", "8 hexadecimal digits"),
        mistake(KERNEL + "mov.f64 %d1, ¦0d3FF;", "0d3FF", "16 hexadecimal digits"),
        mistake(KERNEL + "mov.b64 %d1, ¦99999999999999999999;", "99999999999999999999", "an integer of at most"),
        mistake(KERNEL + "mov.b32 %r1, ¦v.x;", "v.x", "a declared vector register"),
        mistake(KERNEL + "mov.b32 %r1, ¦%;", "%", "an operand"),
        mistake(KERNEL + "mov.b32 %r1, ¦\"s\";", "\"s\"", "an operand"),
        mistake(KERNEL + "@¦1 bra L;", "1", "a predicate"),
        mistake(KERNEL + "@%p ¦;", ";", "an instruction"),
        mistake(KERNEL + "¦%r1;", "%r1", "an instruction"),
        mistake(KERNEL + "¦a.b: ret;", "a.b", "a label without '.'"),
        mistake(KERNEL + ".reg .b32 %r<¦0>;", "0", "at least one register"),
        mistake(KERNEL + ".reg .b32 %r<¦99999999999>;", "99999999999", "a count of registers"),
        mistake(KERNEL + "¦.maxntid 3;", ".maxntid", "a statement or '}'"),
        mistake(KERNEL + ".loc 1 ¦x", "x", "a line"),
        mistake(KERNEL + ".pragma ¦nounroll;", "nounroll", "a string"),
        mistake(KERNEL + "p: .callprototype ¦f (.param .b32 _);", "f", "'_'"),
        mistake(KERNEL + "p: .callprototype _ (.param .b32 _) ¦ret;", "ret", "'.noreturn' or ';'"),
        mistake(HEAD + ".global .b8 x = 0xFF(¦7);", "7", "a symbol"),
        mistake(HEAD + ".alias f ¦g;", "g", "','"),
        mistake(KERNEL + "/* two\nlines */ ret; ¦?", "?", "a character of PTX"),
        mistake(KERNEL + "ret; ¦é", "é", "a character of PTX"),
        mistake(KERNEL + "ret; ¦/* never closed", "/*", "a comment that ends with '*/'"),
        mistake(KERNEL + ".pragma ¦\"open\n;", "\"open", "a string that ends on its line"),
        mistake(HEAD + ".section .debug_info { .b8 ¦", "", "'}'"));
  }

  private static Arguments mistake(String marked, String offending, String expected) {
    return Arguments.of(marked, offending, expected);
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void mistakeIsNamedWithItsPlace(String marked, String offending, String expected) {
    String before = marked.substring(0, marked.indexOf(MARK));
    var error = assertThrows(PtxSyntaxException.class, () -> PtxParser.parse(marked.replace(MARK, "")));
    assertEquals(1 + before.chars().filter(c -> c == '\n').count(), error.line(), error.getMessage());
    assertEquals(before.length() - before.lastIndexOf('\n'), error.column(), error.getMessage());
    assertEquals(offending, error.offending());
    assertTrue(error.expected().contains(expected), error.getMessage());
  }

  @Test
  void messageSaysWhereWhatAndWhatInstead() {
    var error = assertThrows(PtxSyntaxException.class, () -> PtxParser.parse(HEAD + "  ret;"));
    assertEquals("line 4, column 3: found 'ret', expected a variable, a function or '.file'", error.getMessage());
    var end = assertThrows(PtxSyntaxException.class, () -> PtxParser.parse(""));
    assertEquals("line 1, column 1: found the end of the text, expected '.version'", end.getMessage());
  }

  static List<String> nestings() {
    int depth = 200_000;
    return List.of(KERNEL + "{".repeat(depth), KERNEL + "mov.b32 %r1, " + "{".repeat(depth),
        KERNEL + "mov.b32 %r1, " + "!".repeat(depth), KERNEL + "call " + "(".repeat(depth),
        KERNEL + "ld.b32 %r1, " + "[a,".repeat(depth), HEAD + ".global .b8 x[2] = " + "{".repeat(depth));
  }

  @ParameterizedTest
  @MethodSource("nestings")
  void deepNestingIsRefusedBeforeTheStackOverflows(String text) {
    var error = assertThrows(PtxSyntaxException.class, () -> PtxParser.parse(text));
    assertEquals("nesting of at most 200 levels", error.expected());
  }

  @Test
  void hugeFillOfNestedRowsIsRefused() {
    String rows = HEAD + ".global .b8 x[9][999999999999] = {{1}, {2}};";
    var error = assertThrows(PtxSyntaxException.class, () -> PtxParser.parse(rows));
    assertEquals("nested rows of at most 1048576 elements", error.expected());
  }
}
