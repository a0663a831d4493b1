package tilewright.playground;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.OffsetMap;
import tilewright.layout.decision.Decision;
import tilewright.layout.draw.Cell;
import tilewright.layout.expression.Explanation;
import tilewright.layout.expression.Expression;
import tilewright.layout.f2.Swizzle;

class AnswerTest {
  private static OffsetMap map(String text) {
    return Views.map(Expression.parse(text).evaluate());
  }

  private static Explanation.Step lastStep(String expression) {
    return Expression.parse(expression).explain().steps().getLast();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"(4,2:1|6", "(4,2):(1,x)|9", "size((4,2):(1,4)|16", "nonsense(4:1)|0",
      "9223372036854775808:1|0"})
  void aMistakeHasItsColumn(String expression, int position) {
    assertEquals(position, assertInstanceOf(Answer.Wrong.class, Answer.of(Question.of(expression))).position());
  }

  @Test
  void anUndefinedOperationIsRefusedWhereItStands() {
    var refused = assertInstanceOf(Answer.Refused.class, Answer.of(Question.of("size(complement((2,3):(3,2), 12))")));
    assertEquals(5, refused.position());
    assertEquals("complement((2,3):(3,2), 12)", refused.reason().operation());
  }

  @Test
  void theWitnessIsMarkedInTheInnerLayout() {
    var expression = "composition((6,2):(1,7), (3,2):(2,3))";
    var refused = (Answer.Refused) Answer.of(Question.of(expression));
    var picture = Views.witness(refused.reason(), lastStep(expression)).orElseThrow();
    assertEquals("(3,2):(2,3)", picture.title());
    var marked = picture.panels().getFirst().cells().stream().filter(Cell::marked).toList();
    var index = refused.reason().witness().orElseThrow().index();
    assertEquals(List.of(index), marked.stream().map(cell -> cell.row() + 3L * cell.column()).toList());
  }

  @Test
  void everyExampleHasAPictureButTheRefusal() {
    for (var example : Example.ALL) {
      var question = example.question();
      switch (Answer.of(question)) {
        case Answer.Known(var value) -> {
          var steps = Expression.parse(question.expression()).explain().steps();
          var picture = Views.of(question, value, steps.stream().reduce((_, last) -> last));
          assertTrue(picture.panels().getFirst().cells().size() > 1, example.title());
        }
        case Answer.Refused _ -> assertEquals("A refusal with a witness", example.title());
        case Answer.Wrong wrong -> throw new AssertionError(example.title() + ": " + wrong);
      }
    }
  }

  @Test
  void operandsSplitOutsideBrackets() {
    assertEquals(new Operands("f", List.of("(4,2):(1,4)", "[4:1;2]", "Sw<3,4,3>o0o(8,8):(8,1)")),
        Operands.of(new Explanation.Step("f((4,2):(1,4), [4:1;2], Sw<3,4,3>o0o(8,8):(8,1))", "", List.of(),
            List.of())));
  }

  @Test
  void columnsCountTheWordsOfABankByDefinition() {
    var plain = BankReport.of(map("(32,32):(32,1)"), Question.of("").accessing(4, 4, "mode 0"));
    assertEquals(List.of(new BankReport.Columns(0, 31, 32, 1)), plain.columns());
    var padded = BankReport.of(map("(32,32):(33,1)"), Question.of("").accessing(4, 4, "mode 0"));
    assertEquals(List.of(new BankReport.Columns(0, 31, 1, 1)), padded.columns());
  }

  @Test
  void theFoundSwizzleFreesTheChosenAccess() {
    var question = Question.of("").accessing(2, 16, "ldmatrix.x1");
    var found = assertInstanceOf(Decision.Defined.class, BankReport.of(map("(8,64):(64,1)"), question).swizzle());
    assertEquals(new Swizzle(3, 3, 3), found.result());
    assertTrue(found.certificate().holds());
    var again = BankReport.of(map("Sw<3,3,3>o0o(8,64):(64,1)"), question);
    assertEquals("no conflicts", again.rows().stream().filter(r -> r.name().equals("ldmatrix.x1")).findFirst()
        .orElseThrow().verdict());
    assertInstanceOf(Decision.Undefined.class, again.swizzle());
  }
}
