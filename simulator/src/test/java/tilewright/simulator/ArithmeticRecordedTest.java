package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;

/**
 * Arithmetic that has surprised, as an H200 (driver 580.159, the PTX compiled by it) did it: f32 and f16 at the border
 * below which {@code .ftz} flushes, conversions of f32 to narrow types, atomic and bulk additions of floats with all
 * pairs of 64 special values, {@code wmma} and {@code mma} of every shape and rounding, and the scalar video
 * instructions. The resource holds the kernels, what they read and what they wrote. A line of its {@code jobs.txt} is a
 * name, a module, a kernel, the grid, the block, bytes of dynamic shared memory, the cluster, and the buffers: {@code
 * in:FILE}, {@code inout:FILE} or {@code out:BYTES}.
 */
class ArithmeticRecordedTest {
  private static final Map<String, byte[]> FILES = files();
  private static final String ENTRY = ".visible .entry ";

  /** One launch and what it left in the one buffer that it writes. */
  private record Job(List<String> words) {
    String name() {
      return words.getFirst();
    }

    Dim3 extent(int word) {
      return Dim3.of(Integer.parseInt(words.get(word)));
    }

    /** The kernel alone: the others of its module need not be compiled for it. */
    String ptx() {
      var module = text(words.get(1));
      int begin = module.indexOf(ENTRY + words.get(2) + "(");
      int end = module.indexOf(ENTRY, begin + 1);
      return module.substring(0, module.indexOf(ENTRY)) + module.substring(begin, end < 0 ? module.length() : end);
    }

    byte[] run() {
      var buffers = new LinkedHashMap<String, MemorySegment>();
      var arguments = new ArrayList<Launch.Argument>();
      byte[] written = {};
      for (var buffer : words.subList(7, words.size())) {
        var parts = buffer.split(":");
        boolean poisoned = parts[0].equals("out");
        byte[] bytes = poisoned ? poison(Integer.parseInt(parts[1])) : FILES.get(parts[1]).clone();
        if (!parts[0].equals("in")) written = bytes;
        var name = "b" + buffers.size();
        buffers.put(name, MemorySegment.ofArray(bytes));
        arguments.add(new Launch.Argument.Buffer(name));
      }
      var launch = new Launch(ptx(), words.get(2), extent(3), extent(4), extent(6), Integer.parseInt(words.get(5)),
          buffers, arguments);
      assertEquals(List.of(), Simulator.load(launch.ptx()).run(launch, Kernels.PLAIN).findings());
      return written;
    }

    private static byte[] poison(int bytes) {
      var array = new byte[bytes];
      java.util.Arrays.fill(array, (byte) 0xA5);
      return array;
    }

    @Override
    public String toString() {
      return name();
    }
  }

  private static Map<String, byte[]> files() {
    var files = new LinkedHashMap<String, byte[]>();
    try (var zip = new ZipInputStream(ArithmeticRecordedTest.class.getResourceAsStream("arithmetic-h200.zip"))) {
      for (var e = zip.getNextEntry(); e != null; e = zip.getNextEntry()) files.put(e.getName(), zip.readAllBytes());
      return files;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(String file) {
    return new String(FILES.get(file), StandardCharsets.US_ASCII);
  }

  static Stream<Job> jobs() {
    return text("jobs.txt").lines().map(line -> new Job(List.of(line.split(" "))));
  }

  @ParameterizedTest
  @MethodSource("jobs")
  void resultsAreThoseOfAnH200(Job job) {
    assertArrayEquals(FILES.get(job.name() + ".out"), job.run());
  }

  @Test
  void everyJobHasARecordOfItsOwn() {
    assertEquals(86, jobs().map(Job::name).distinct().filter(name -> FILES.containsKey(name + ".out")).count());
  }
}
