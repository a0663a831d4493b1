package tilewright.layout.decision;

import java.util.function.LongUnaryOperator;

/** Two functions agree at every index below a size. */
public record TableCertificate(String equation, long size, LongUnaryOperator given, LongUnaryOperator demanded)
    implements Certificate {

  @Override
  public boolean holds() {
    for (long i = 0; i < size; i++) {
      if (given.applyAsLong(i) != demanded.applyAsLong(i)) return false;
    }
    return true;
  }

  @Override
  public String explain() {
    return equation + " for each i below " + size;
  }
}
