package tilewright.playground;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuestionTest {
  @ParameterizedTest
  @ValueSource(strings = {"(4,(2,2)):(1,(4,8))", "A ∘ B", "50%", "%zz", "a&b=c#d", "Sw<3,4,3> o 0 o 8:1", "", "%2"})
  void aFragmentKeepsEverything(String expression) {
    var question = new Question(expression, View.BANKS, "(16,8)", 4, 16, "ldmatrix.x4", Spelling.PYCUTE);
    assertEquals(question, Question.ofFragment(question.toFragment()));
  }

  @Test
  void whatIsUsualIsLeftOut() {
    assertEquals("e=(4,8):(8,1)", Question.of("(4,8):(8,1)").toFragment());
    assertEquals("e=2%3a1&v=threads&t=(2,1)".replace("%3a", ":"),
        Question.of("2:1").in(View.THREADS).over("(2,1)").toFragment());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "e", "=", "&&", "b=3", "b=-1&a=x", "v=none&d=none"})
  void aBrokenFragmentAsksTheFirstQuestion(String fragment) {
    assertEquals(Question.FIRST, Question.ofFragment(fragment));
  }

  @Test
  void othersEncodingsAreRead() {
    assertEquals("(4,8):(8,1)", Question.ofFragment("e=%284%2C8%29%3A%288%2C1%29").expression());
    assertEquals("2:1∘3:1", Question.ofFragment("e=2:1%E2%88%983:1").expression());
  }
}
