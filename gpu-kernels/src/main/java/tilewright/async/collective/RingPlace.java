package tilewright.async.collective;

import tilewright.kernel.I32;
import tilewright.kernel.Scope;

/** A place that goes around a ring, and the parity of its round. */
final class RingPlace {
  private final Scope k;
  private final int places;
  private final I32.Variable number;
  private final I32.Variable parity;

  RingPlace(Scope k, int places) {
    this.k = k;
    this.places = places;
    this.number = k.variable(k.constant(0), places - 1);
    this.parity = k.variable(k.constant(0), 1);
  }

  I32 number() {
    return number.value();
  }

  I32 parity() {
    return parity.value();
  }

  void advance() {
    var wraps = number().plus(1).equalTo(places);
    parity.set(parity().xor(k.constant(1).where(wraps, 0)));
    number.set(number().plus(1).where(number().lessThan(places - 1), 0));
  }
}
