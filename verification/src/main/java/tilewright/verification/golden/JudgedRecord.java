package tilewright.verification.golden;

/**
 * A record and what became of it.
 *
 * @param oracle who gave the record's answer, such as {@code pycute} or {@code CuTe C++}
 * @param verdict what an independent judge said of the oracle's answer, such as {@code ok}, {@code wrong}
 * @param arguments as JSON
 * @param theirs the oracle's answer
 * @param expected what was demanded of us
 * @param ours our answer, or why we refuse
 * @param oracleWrong whether the oracle's answer violates the operation's definition
 */
public record JudgedRecord(String id, String operation, String oracle, String verdict, String arguments, String theirs,
    Outcome outcome, String expected, String ours, boolean oracleWrong) {

  static JudgedRecord of(GoldenRecord golden, Judgement judgement) {
    return new JudgedRecord(golden.id(), golden.operation(), golden.oracle(), golden.verdict(), golden.arguments(),
        golden.text("expect").orElse("a refusal"), judgement.outcome(), judgement.expected(), judgement.ours(),
        golden.verdict().equals("wrong") || judgement.oracleWrong());
  }

  public boolean isMismatch() {
    return outcome == Outcome.MISMATCH;
  }
}
