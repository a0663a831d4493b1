package tilewright.layout.synthesis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tilewright.layout.Layout;
import tilewright.layout.Layouts;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.Coordinates;
import tilewright.layout.tuple.IntTuple;

/** Threads and their values in a tile, against the tile's coordinates. */
class ThreadValueLayoutProperties {

  @Property(tries = 300)
  void everyThreadHoldsItsBlockOfTheTile(@ForAll("compact") Layout threads, @ForAll("compact") Layout values) {
    Assume.that(threads.rank() == values.rank() && threads.size() * values.size() <= 2000);
    var decision = assertInstanceOf(Decision.Defined.class, ThreadValueLayout.of(threads, values));
    assertTrue(decision.certificate().holds(), decision.certificate().explain());
    var tv = ThreadValueLayout.of(threads, values).orElseThrow();
    var owners = tv.inverse().orElseThrow();
    for (int i = 0; i < threads.rank(); i++) {
      assertEquals(threads.mode(i).size() * values.mode(i).size(), tv.tiler().mode(i).size());
    }
    for (long t = 0; t < threads.size(); t++) {
      for (long v = 0; v < values.size(); v++) {
        var thread = threads.coordinate(t);
        var value = values.coordinate(v);
        long[] place = new long[threads.rank()];
        for (int i = 0; i < place.length; i++) {
          long within = Coordinates.index(value.mode(i), values.shape().mode(i));
          long block = Coordinates.index(thread.mode(i), threads.shape().mode(i));
          place[i] = within + values.mode(i).size() * block;
        }
        long index = Coordinates.index(IntTuple.flat(place), tv.tiler());
        var holder = IntTuple.flat(threads.apply(t), values.apply(v));
        assertEquals(index, tv.layout().apply(holder));
        assertEquals(threads.apply(t) + threads.size() * values.apply(v), owners.apply(index));
      }
    }
  }

  @Example
  void aTileOfThreadsWithTwoByTwoValuesIsCutes() {
    var tv = ThreadValueLayout.of(Layout.parse("(4,8):(8,1)"), Layout.parse("(2,2):(1,2)")).orElseThrow();
    assertEquals(IntTuple.parse("(8,16)"), tv.tiler());
    assertEquals(2, tv.layout().rank());
    assertEquals(1, tv.layout().apply(IntTuple.parse("(0,1)")));
    assertEquals(16, tv.layout().apply(IntTuple.parse("(1,0)")));
  }

  @Example
  void threadsThatShareANumberAreRefused() {
    var refused = assertInstanceOf(Decision.Undefined.class,
        ThreadValueLayout.of(Layout.parse("(4,8):(8,0)"), Layout.parse("(2,2):(1,2)")));
    assertTrue(refused.numbers().contains("(4,8):(8,0)"), refused.numbers());
  }

  @Provide
  Arbitrary<Layout> compact() {
    return Layouts.compact();
  }
}
