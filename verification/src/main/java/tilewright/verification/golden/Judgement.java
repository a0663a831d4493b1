package tilewright.verification.golden;

/**
 * The judgement of one golden record.
 *
 * @param expected the answer that the record or the definition demands
 * @param ours our answer, or why we refuse
 * @param oracleWrong whether the record's own answer turned out to violate the definition
 */
record Judgement(Outcome outcome, String expected, String ours, boolean oracleWrong) {

  private Judgement(Outcome outcome, Object expected, Object ours) {
    this(outcome, String.valueOf(expected), String.valueOf(ours), false);
  }

  static Judgement agreed(Object ours) {
    return new Judgement(Outcome.AGREED, ours, ours);
  }

  /** Returns this judgement, with a note on whether the record's answer violates the definition inside the domain. */
  Judgement whereOracleIs(boolean wrong) {
    return new Judgement(outcome, expected, ours, wrong);
  }

  static Judgement refused(String reason) {
    return new Judgement(Outcome.REFUSED, "a refusal", reason);
  }

  static Judgement dialect(Object expected, Object ours) {
    return new Judgement(Outcome.DIALECT, expected, ours);
  }

  static Judgement mismatch(Object expected, Object ours) {
    return new Judgement(Outcome.MISMATCH, expected, ours);
  }

  /** Agreed if equal in print. */
  static Judgement equal(Object expected, Object ours) {
    return String.valueOf(expected).equals(String.valueOf(ours)) ? agreed(ours) : mismatch(expected, ours);
  }

  boolean isMismatch() {
    return outcome == Outcome.MISMATCH;
  }
}
