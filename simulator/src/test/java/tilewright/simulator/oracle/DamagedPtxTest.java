package tilewright.simulator.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tilewright.ptx.PtxSyntaxException;
import tilewright.simulator.Simulator;
import tilewright.simulator.UnsupportedPtxException;

/**
 * Damaged PTX loads, or is refused with a line; nothing else is thrown. The system property
 * {@code tilewright.damagedTexts} says how many texts to try.
 */
class DamagedPtxTest {
  private static final int TEXTS = Integer.getInteger("tilewright.damagedTexts", 400);

  @Test
  void damagedTextLoadsOrIsRefusedWithALine() throws IOException {
    var compiled = resource("/tilewright/simulator/programs.ptx");
    var failures = IntStream.range(0, TEXTS).mapToObj(seed -> failure(compiled, seed)).flatMap(Optional::stream)
        .limit(10).toList();
    assertEquals(List.of(), failures);
  }

  private static String resource(String name) throws IOException {
    try (var in = DamagedPtxTest.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static Optional<String> failure(String compiled, int seed) {
    var random = new Random(seed);
    var whole = random.nextInt(4) == 0 ? compiled : RandomProgram.ptx(RandomProgram.body(seed));
    var text = damaged(whole, random);
    try {
      assertTimeoutPreemptively(Duration.ofSeconds(20), () -> Simulator.load(text));
      return Optional.empty();
    } catch (PtxSyntaxException e) {
      return e.line() > 0 ? Optional.empty() : Optional.of("seed " + seed + ": no line: " + e);
    } catch (UnsupportedPtxException e) {
      boolean placed = e.problems().stream().allMatch(p -> p.line() > 0);
      return placed ? Optional.empty() : Optional.of("seed " + seed + ": no line: " + e.getMessage());
    } catch (Throwable e) {
      var at = e.getStackTrace().length == 0 ? "" : e.getStackTrace()[0].toString();
      return Optional.of("seed " + seed + ": " + e + " at " + at);
    }
  }

  private static String damaged(String whole, Random random) {
    var tokens = new ArrayList<>(List.of(whole.split("(?<=[\\s,;\\[\\]{}.+|])|(?=[,;\\[\\]{}.+|])")));
    for (int edits = 1 + random.nextInt(3); edits > 0; edits--) {
      int at = random.nextInt(tokens.size());
      switch (random.nextInt(6)) {
        case 0 -> tokens.remove(at);
        case 1 -> tokens.add(at, tokens.get(at));
        case 2 -> tokens.set(at, tokens.get(random.nextInt(tokens.size())));
        case 3 -> tokens.set(at, String.valueOf((char) random.nextInt(256)));
        case 4 -> tokens.add(at, tokens.get(random.nextInt(tokens.size())));
        default -> {
          if (random.nextInt(4) == 0) tokens.subList(at, tokens.size()).clear();
          else tokens.set(at, String.valueOf(random.nextLong()));
        }
      }
      if (tokens.isEmpty()) return "";
    }
    return String.join("", tokens);
  }
}
