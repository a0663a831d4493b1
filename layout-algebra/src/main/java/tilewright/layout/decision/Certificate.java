package tilewright.layout.decision;

/** Why a result is right: facts that can be checked without the operation that found it. */
public interface Certificate {

  /** Checks the facts. */
  boolean holds();

  /** The facts in a sentence, in notation. */
  String explain();
}
