package tilewright.cli.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Exit;

class NpyProperties {
  private static final byte[] VALID = Npy.file(1, Npy.header("<f4", false, "(2, 3)"), Npy.floats(1, 2, 3, 4, 5, 6));

  @Property(tries = 300)
  void whatIsWrittenIsReadBack(@ForAll("types") NpyType type, @ForAll boolean fortranOrder,
      @ForAll @Size(max = 5) List<@IntRange(max = 5) Integer> shape, @ForAll Random random) {
    var header = new NpyHeader(type, fortranOrder, shape.stream().map(Integer::longValue).toList());
    var bytes = new byte[(int) header.dataBytes()];
    random.nextBytes(bytes);
    inFile(file -> {
      new NpyFile(header, MemorySegment.ofArray(bytes)).write(file);
      var read = NpyFile.read(file, Arena.ofAuto());
      assertEquals(header, read.header());
      assertArrayEquals(bytes, read.data().toArray(ValueLayout.JAVA_BYTE));
    });
  }

  @Property(tries = 150)
  void everyTruncationIsRefused(@ForAll @IntRange(max = 200) int kept) {
    if (kept >= VALID.length) return;
    inFile(file -> {
      write(file, java.util.Arrays.copyOf(VALID, kept));
      assertComplaintOrArray(file, false);
    });
  }

  @Property(tries = 2000)
  void mutatedHeadersAreReadOrRefusedInOneLine(@ForAll @Size(min = 1, max = 4) List<@IntRange(max = 90) Integer> places,
      @ForAll Random random) {
    var bytes = VALID.clone();
    for (var place : places) {
      var syntax = "(){}[]',:0-L".charAt(random.nextInt(12));
      bytes[place % bytes.length] = (byte) (random.nextBoolean() ? random.nextInt() : syntax);
    }
    inFile(file -> {
      write(file, bytes);
      assertComplaintOrArray(file, true);
    });
  }

  @Provide
  Arbitrary<NpyType> types() {
    return Arbitraries.of(NpyType.FLOAT16, NpyType.FLOAT32, NpyType.FLOAT64, NpyType.OPAQUE16, NpyType.parse("<u2"));
  }

  private static void assertComplaintOrArray(Path file, boolean mayBeValid) {
    try {
      var npy = NpyFile.read(file, Arena.ofAuto());
      assertEquals(npy.header().dataBytes(), npy.data().byteSize());
      if (!mayBeValid) throw new AssertionError("read a damaged file as " + npy.header());
    } catch (CommandFailure failure) {
      assertEquals(Exit.BAD_INPUT, failure.exitCode());
      assertEquals(1, failure.getMessage().lines().count(), failure.getMessage());
    }
  }

  private static void write(Path file, byte[] bytes) {
    try {
      Files.write(file, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void inFile(Consumer<Path> test) {
    try {
      var file = Files.createTempFile("npy", ".npy");
      try {
        test.accept(file);
      } finally {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
