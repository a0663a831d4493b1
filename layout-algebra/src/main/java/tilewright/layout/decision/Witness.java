package tilewright.layout.decision;

import tilewright.layout.tuple.IntTuple;

/**
 * A coordinate at which an operation's defining equation would fail.
 *
 * @param coordinate of the operand that the equation ranges over
 * @param index its colexicographic index
 * @param demanded the offset that the equation demands there; where one beyond a domain is given, the nearest in it
 * @param given the offset that the only candidate gives
 */
public record Witness(IntTuple coordinate, long index, long demanded, long given) {
  @Override
  public String toString() {
    return "at " + coordinate + ", index " + index + ", " + demanded + " is demanded and " + given + " would be given";
  }
}
