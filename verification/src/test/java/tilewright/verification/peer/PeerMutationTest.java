package tilewright.verification.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.ptx.PtxParser;
import tilewright.ptx.PtxPrinter;
import tilewright.verification.LongSuite;
import tilewright.verification.mutation.Mutant;
import tilewright.verification.mutation.Mutations;

/** Exchanges among devices with one flag or barrier wrong: each is a finding, or gives other bits. */
class PeerMutationTest {
  private static final int SEEDS = 8;

  static Stream<Arguments> exchanges() {
    var ranks = LongSuite.EVERY_CASE ? List.of(2, 4) : List.of(2);
    return ranks.stream().flatMap(n -> Stream.of(Exchanges.values()).map(kind -> Arguments.of(kind, n)));
  }

  @ParameterizedTest
  @MethodSource("exchanges")
  void everyMistakeIsNoticed(Exchanges kind, int ranks) {
    var exchange = kind == Exchanges.ALL_GATHER ? kind.of(RereadingGather::prepare, ranks, 1) : kind.of(ranks, 1);
    var module = PtxParser.parse(exchange.launches().launches().getFirst().kernel().ptx());
    var mutants = new ArrayList<>(Mutations.withAWeakerPeerFlag(module));
    mutants.addAll(Mutations.withoutABarrier(module));
    assertTrue(mutants.size() > 10, "only " + mutants.size());
    var missed = LongSuite.of(mutants).stream().filter(m -> !isNoticed(exchange, m)).map(Mutant::change).toList();
    assertEquals(List.of(), missed, missed.size() + " of " + mutants.size() + " are not noticed");
  }

  private static boolean isNoticed(Exchange exchange, Mutant mutant) {
    var ptx = PtxPrinter.print(mutant.module());
    for (int seed = 0; seed < SEEDS; seed++) {
      if (!exchange.runWith(ptx, seed).ok() || !exchange.isRight() || !exchange.isReady()) return true;
    }
    return false;
  }
}
