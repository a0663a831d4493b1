package tilewright.verification.witness;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;

/** Registers go to Tensor Memory and back in every shape and number of repeats; all cells lie where layouts say. */
class TensorRoundTripTest {
  private static final int THREADS = 128;
  private static final int COLUMNS = 512;
  /** Where the second half of a split shape begins. */
  private static final int SECOND = 256;

  /** One store and one load, or two of each for the lower and the upper lanes of every warp. */
  private record Step(TransferShape shape, int repeats, int lane, int number) {
    int registers() {
      return (int) shape.registers(repeats).size();
    }

    String text() {
      var vector = RoundTripText.vector(registers());
      var form = ".sync.aligned." + shape.text() + ".x" + repeats;
      var second = shape.split() ? ", " + SECOND : "";
      return RoundTripText.move("ld.global.b32 %v{}, [%data+{}];", registers())
          + "  tcgen05.st" + form + ".b32 [%lanes+" + (lane << 16) + "]" + second + ", " + vector + ";\n"
          + "  tcgen05.wait::st.sync.aligned;\n" + RoundTripText.move("mov.b32 %v{}, -1;", registers())
          + "  tcgen05.ld" + form + ".b32 " + vector + ", [%lanes+" + (lane << 16) + "]" + second + ";\n"
          + "  tcgen05.wait::ld.sync.aligned;\n" + RoundTripText.move("st.global.b32 [%back+{}], %v{};", registers())
          + "  add.u64 %data, %data, 512;\n  add.u64 %back, %back, 512;\n";
    }

    /** What the step's registers hold goes where the layouts say. */
    void store(int[] data, int steps, int[] cells) {
      var threads = shape.threads(repeats);
      var words = shape.registers(repeats);
      for (int thread = 0; thread < THREADS; thread++) {
        for (int r = 0; r < words.size(); r++) {
          int word = (int) (threads.apply(thread % 32) + words.apply(r));
          int column = word % shape.columns(repeats);
          if (shape.split() && column >= repeats) column += SECOND - repeats;
          int row = thread / 32 * 32 + lane + word / shape.columns(repeats);
          cells[row * COLUMNS + column] = data[(thread * steps + number) * THREADS + r];
        }
      }
    }
  }

  private static List<Step> steps(TransferShape shape) {
    var steps = new ArrayList<Step>();
    for (int repeats = shape.mostRepeats(); repeats > 0; repeats /= 2) {
      for (int lane = 0; lane < 32; lane += shape.lanes()) steps.add(new Step(shape, repeats, lane, steps.size()));
    }
    return steps;
  }

  private static Witness roundTrip(TransferShape shape) {
    var steps = steps(shape);
    var data = new Random(shape.ordinal()).ints(THREADS * steps.size() * THREADS).toArray();
    var back = new int[data.length];
    var cells = new int[THREADS * COLUMNS];
    for (var step : steps) {
      step.store(data, steps.size(), cells);
      for (int thread = 0; thread < THREADS; thread++) {
        int at = (thread * steps.size() + step.number) * THREADS;
        System.arraycopy(data, at, back, at, step.registers());
      }
    }
    var ptx = RoundTripText.kernel(steps.size(), steps.stream().map(Step::text).toList());
    var launch = new Launch(ptx, "k", Dim3.ONE, Dim3.of(THREADS), Dim3.ONE, 0,
        Map.of("data", MemorySegment.ofArray(data), "back", MemorySegment.ofArray(new int[back.length]),
            "cells", MemorySegment.ofArray(new int[cells.length])),
        List.of(new Argument.Buffer("data"), new Argument.Buffer("back"), new Argument.Buffer("cells")));
    return new Witness(launch, Map.of("back", MemorySegment.ofArray(back), "cells", MemorySegment.ofArray(cells)));
  }

  @ParameterizedTest
  @EnumSource
  void everyRegisterComesBack(TransferShape shape) {
    roundTrip(shape).underSeeds(20);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("gpu")
  void theSameOnAGpu(TransferShape shape) {
    roundTrip(shape).onGpu(100);
  }
}
