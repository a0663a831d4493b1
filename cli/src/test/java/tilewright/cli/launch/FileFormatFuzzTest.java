package tilewright.cli.launch;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.cli.Mutator;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Exit;
import tilewright.cli.tensor.Npy;
import tilewright.cli.tensor.NpyFile;
import tilewright.cli.tensor.NpyMatrix;
import tilewright.cli.tensor.SequenceLengths;
import tilewright.cli.tensor.TensorFile;
import tilewright.verification.golden.GoldenVectors;
import tilewright.verification.golden.MalformedGoldenException;

/**
 * Files that are almost sound: a reader takes them or refuses them in one line, and comes to an end. The seed is the
 * same every time in the normal tests and {@code -Dfuzz.seed} in the fuzz tier, {@code -Dfuzz.count} inputs each.
 */
class FileFormatFuzzTest {
  private static final long SEED = 22;
  private static final int FEW = 400;
  private static final int MANY = Integer.getInteger("fuzz.count", 60_000);
  private static final int AT_ONCE = 500;
  /** Not how long a file takes but when to say that it never ends. */
  private static final Duration NEVER = Duration.ofMinutes(3);
  private static final Pattern LARGE_BUFFER = Pattern.compile("bytes\"\\s*:\\s*\"?(0[xX][0-9a-fA-F]{6,8}|\\d{7,10})\\D");

  @TempDir
  Path folder;

  /** The formats, each with sound files, tokens and a reader. */
  enum Format {
    LAUNCH {
      @Override
      List<byte[]> seeds() {
        return texts("""
            {"ptx": "k.ptx", "entry": "k", "grid": [2,3,4], "block": [128], "cluster": [1,1,1],
             "dynamicSharedBytes": 4096, "features": ["programmatic"], "architecture": 90,
             "buffers": {"a": {"bytes": 4, "file": "a.bin", "dtype": "u8", "layout": "(2,2):(1,2)", "ahead": true},
                         "d": {"bytes": 8, "fill": "0xCD"}},
             "args": [{"buffer": "a"}, {"buffer": "d", "bufferOffset": 4}, {"u32": 5}, {"f32": 1.5}, {"f16": -2},
                      {"s32": -1}, {"b64": "0xFFFFFFFFFFFFFFFF"}, {"bf16": "0x3f80"},
                      {"struct": {"bytes": 64, "fields": [{"offset": 8, "buffer": "a"}, {"offset": 16, "u32": 7}]}}],
             "expect": {"d": "a.bin"}}
            """, """
            {"ptx": "k.ptx", "entry": "k", "buffers": {"a": {"file": "a.bin"}},
             "args": [{"tensorMap": {"buffer": "a", "dtype": "bf16", "dims": [64, 32], "strides": [128],
                                     "box": [32, 8], "swizzle": "128B", "oobFill": "nan", "elementStrides": [1, 1]}},
                      {"tensorMap": {"buffer": "a", "dtype": "f16", "mode": "im2col", "dims": [64, 9, 8, 5],
                                     "strides": [128, 1152, 9216], "lowerCorner": [-1, 2], "upperCorner": [-3, 4],
                                     "channelsPerPixel": 64, "pixelsPerColumn": 32, "interleave": "none"}}]}
            """, """
            {"ptx": "k.ptx", "block": [32],
             "buffers": {"a": {"device": 0, "file": "a.bin"}, "d": {"device": 1, "bytes": 8}},
             "launches": [{"device": 0, "peers": [1], "entry": "k", "args": [{"buffer": "d"}]},
                          {"device": 1, "entry": "l", "grid": [2], "args": [{"buffer": "d"}, {"u32": 5}]}]}
            """);
      }

      @Override
      void read(Path folder, byte[] input) throws IOException {
        // Sound launches may have large buffers, which are of no interest here and take memory.
        if (LARGE_BUFFER.matcher(new String(input, StandardCharsets.ISO_8859_1)).find()) return;
        Files.writeString(folder.resolve("k.ptx"), ".version 8.0\n");
        Files.write(folder.resolve("a.bin"), new byte[] {1, 2, 3, 4});
        LaunchFile.read(Files.write(folder.resolve("launch.json"), input));
      }
    },
    NPY {
      @Override
      List<byte[]> seeds() {
        return List.of(Npy.file(1, Npy.header("<f4", false, "(2, 3)"), new byte[24]),
            Npy.file(2, Npy.header(">f8", true, "(3, 1)"), new byte[24]),
            Npy.file(1, Npy.header("<i4", false, "(2,)"), new byte[] {0, 0, 0, 0, 3, 0, 0, 0}),
            Npy.file(3, Npy.header("|V2", false, "(2, 3, 2)"), new byte[24]));
      }

      @Override
      void read(Path folder, byte[] input) throws IOException {
        var file = Files.write(folder.resolve("x.npy"), input);
        try (var arena = Arena.ofConfined()) {
          int rank = NpyFile.read(file, arena).header().shape().size();
          if (rank == 1) SequenceLengths.read(file, 3, arena);
          if (rank > 1) NpyMatrix.read(file, false, arena).type();
        }
      }
    },
    SAFETENSORS {
      @Override
      List<byte[]> seeds() {
        return List.of(safetensors("""
            {"x":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"__metadata__":{"format":"pt"}}"""),
            safetensors("""
            {"x":{"dtype":"BF16","shape":[],"data_offsets":[22,24]},"y":{"dtype":"I8","shape":[0],"data_offsets":[0,0]}}
            """));
      }

      @Override
      void read(Path folder, byte[] input) throws IOException {
        var file = Files.write(folder.resolve("x.safetensors"), input);
        try (var arena = Arena.ofConfined()) {
          TensorFile.read(file + ":x", arena).data();
        }
      }
    },
    GOLDEN {
      @Override
      List<byte[]> seeds() {
        return texts("""
            {"id":"a","op":"composition","args":{"a":"(4,8):(1,4)","b":"8:2"},"expect":"(2,4):(2,4)","verdict":"ok"}""",
            """
            {"id":"b","op":"logical_divide","args":{"layout":"(8,4):(4,1)","tiler":"[4;2]"},"expect":"x"}""",
            """
            {"id":"c","op":"complement","args":{"layout":"(4,8):(1,8)","cotarget":64},"verdict":"raises"}""",
            """
            {"id":"d","op":"coalesce","args":{"layout":"(2,(1,6)):(1,(6,2))"},"expect":"12:1","table":[0,1,2]}""",
            """
            {"id":"e","op":"right_inverse","args":{"layout":"(4,8):(8,1)"},"expect":"(8,4):(4,1)","truth":[0,1]}""");
      }

      @Override
      void read(Path folder, byte[] input) throws IOException {
        Files.write(folder.resolve("x.jsonl"), input);
        try {
          GoldenVectors.judge(folder);
        } catch (MalformedGoldenException e) {
          throw CommandFailure.badInput(e.getMessage());
        }
      }
    };

    abstract List<byte[]> seeds();

    abstract void read(Path folder, byte[] input) throws IOException;

    private static List<byte[]> texts(String... texts) {
      return Stream.of(texts).map(t -> t.getBytes(StandardCharsets.UTF_8)).toList();
    }

    private static byte[] safetensors(String header) {
      var text = header.getBytes(StandardCharsets.UTF_8);
      return ByteBuffer.allocate(8 + text.length + 24).order(ByteOrder.LITTLE_ENDIAN).putLong(text.length).put(text)
          .array();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFileIsReadOrRefused(Format format) {
    fuzz(format, SEED, FEW);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("fuzz")
  void manyFilesAreReadOrRefused(Format format) {
    fuzz(format, Long.getLong("fuzz.seed", SEED + 1), MANY);
  }

  private void fuzz(Format format, long seed, int count) {
    for (var sound : format.seeds()) tried(format, sound).ifPresent(message -> fail(format + " " + message));
    var mutator = new Mutator(seed, format.seeds(), "0", "-1", "1e39", "1e999", "4294967296", "9223372036854775807",
        "-9223372036854775808", "99999999999999999999999", "0x", "NaN", "null", "true", "[]", "{}", "[[[[[[[[", "((((((((",
        "\"", "\\u0000", "\\ud800", "é", "../", ":", ",", "'", "L", "(_,", "f32", "buffer", "struct", "data_offsets",
        "shape", "descr", "size", "8:-1", "0:0", "Sw<3,4,3>", "1000000000000:1");
    int read = 0;
    for (int done = 0; done < count; done += AT_ONCE) {
      int number = Math.min(AT_ONCE, count - done);
      read += assertTimeoutPreemptively(NEVER, () -> {
        int taken = 0;
        for (int i = 0; i < number; i++) {
          var input = mutator.next();
          var message = tried(format, input);
          if (message.isPresent()) {
            fail(format + ", seed " + seed + ": " + message.get() + "; the file, in base 64: "
                + Base64.getEncoder().encodeToString(input));
          }
          if (!refused) taken++;
        }
        return taken;
      });
    }
    System.out.println(format + ": " + count + " files, seed " + seed + ", " + read + " taken, the others refused");
    assertTrue(read > 0 && read < count, "of " + count + " files " + read + " were taken");
  }

  private boolean refused;

  /** The fault in how the reader ends; nothing if it reads the file or refuses it in one line. */
  private Optional<String> tried(Format format, byte[] input) {
    try {
      refused = false;
      format.read(folder, input);
      return Optional.empty();
    } catch (CommandFailure failure) {
      refused = true;
      var message = failure.getMessage();
      boolean sound = message.lines().count() == 1 && !message.contains("Exception") && message.length() < 2000
          && (failure.exitCode() == Exit.BAD_INPUT || failure.exitCode() == Exit.ENVIRONMENT);
      return sound ? Optional.empty() : Optional.of("exit code " + failure.exitCode() + " with " + message);
    } catch (IOException | RuntimeException | StackOverflowError | OutOfMemoryError e) {
      return Optional.of("unexpected " + e + " at " + Stream.of(e.getStackTrace()).limit(4).toList());
    }
  }
}
