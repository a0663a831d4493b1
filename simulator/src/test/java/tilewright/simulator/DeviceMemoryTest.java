package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchFeature;
import tilewright.ptx.PtxParser;

class DeviceMemoryTest {
  /** Each call counts in a variable and stores the count at an address. */
  private static final String COUNTER = """
      .version 8.0
      .target sm_90
      .address_size 64
      .global .align 4 .u32 count = {40};
      .visible .entry next(.param .u64 out) {
        .reg .b32 %r<2>; .reg .b64 %rd<2>;
        ld.param.u64 %rd0, [out];
        ld.global.u32 %r0, [count];
        add.u32 %r1, %r0, 1;
        st.global.u32 [count], %r1;
        st.global.u32 [%rd0], %r1;
        ret;
      }
      .visible .entry read(.param .u64 in, .param .u64 out) {
        .reg .b32 %r0; .reg .b64 %rd<2>;
        ld.param.u64 %rd0, [in];
        ld.param.u64 %rd1, [out];
        ld.global.u32 %r0, [%rd0];
        st.global.u32 [%rd1], %r0;
        ret;
      }
      """;

  /** The first kernel allocates memory and stores its address, the second reads what is at such an address. */
  private static final String HEAP = """
      .version 8.0
      .target sm_90
      .address_size 64
      .extern .func (.param .b64 result) malloc(.param .b64 bytes);
      .extern .func free(.param .b64 address);
      .visible .entry make(.param .u64 out, .param .u64 bytes) {
        .reg .b32 %r0; .reg .b64 %rd<3>;
        .param .b64 in;
        .param .b64 made;
        ld.param.u64 %rd0, [out];
        ld.param.u64 %rd1, [bytes];
        st.param.b64 [in], %rd1;
        call.uni (made), malloc, (in);
        ld.param.b64 %rd2, [made];
        st.global.u64 [%rd0], %rd2;
        mov.u32 %r0, 7;
        st.u32 [%rd2], %r0;
        ret;
      }
      .visible .entry follow(.param .u64 in, .param .u64 out) {
        .reg .b32 %r0; .reg .b64 %rd<3>;
        .param .b64 made;
        ld.param.u64 %rd0, [in];
        ld.param.u64 %rd1, [out];
        ld.global.u64 %rd2, [%rd0];
        ld.u32 %r0, [%rd2];
        st.global.u32 [%rd1], %r0;
        st.param.b64 [made], %rd2;
        call.uni free, (made);
        ret;
      }
      """;

  private final List<Long> touched = new ArrayList<>();
  private final DeviceMemory memory = new DeviceMemory((address, _) -> touched.add(address));
  private final ResidentProgram program = Simulator.load(PtxParser.parse(COUNTER), memory);

  private SimulationResult run(ResidentProgram chosen, String entry, long... arguments) {
    var launch = new Launch("", entry, Dim3.ONE, Dim3.ONE, Dim3.ONE, 0, Map.of(),
        LongStream.of(arguments).mapToObj(Launch.Argument::u64).toList());
    return chosen.run(launch, SimulatorOptions.defaults().withSanitizer(true));
  }

  private int at(long address) {
    return ByteBuffer.wrap(memory.contents(address)).order(ByteOrder.LITTLE_ENDIAN).getInt(0);
  }

  @Test
  void variablesKeepTheirValues() {
    long out = memory.allocate("out", 4);
    assertTrue(run(program, "next", out).ok());
    assertTrue(run(program, "next", out).ok());
    assertEquals(42, at(out));
    assertEquals(new ResidentProgram.Variable(program.variables().get("count").address(), 4),
        program.variables().get("count"));
    assertEquals(42, at(program.variables().get("count").address()));
  }

  @Test
  void whatKernelsAllocateOutlivesTheirLaunch() {
    var heap = Simulator.load(PtxParser.parse(HEAP), memory);
    long pointer = memory.allocate("pointer", 8);
    long out = memory.allocate("out", 4);
    assertTrue(run(heap, "make", pointer, 4).ok());
    assertTrue(run(heap, "follow", pointer, out).ok());
    assertEquals(7, at(out));
    var freed = run(heap, "follow", pointer, out);
    assertEquals(List.of(Finding.Kind.OUT_OF_BOUNDS), freed.findings().stream().map(Finding::kind).toList());
  }

  @Test
  void theHeapHoldsAsMuchAsItsLimit() {
    var heap = memory.heap();
    assertEquals(0, heap.allocate((8 << 20) + 1));
    heap.limit(9 << 20);
    int window = heap.allocate(9 << 20);
    assertNotEquals(0, window);
    assertEquals(0, heap.allocate(1));
    assertTrue(heap.release(window));
    assertNotEquals(0, heap.allocate(1));
  }

  @Test
  void modulesHaveVariablesOfTheirOwnAndReachOthersByAddress() {
    long out = memory.allocate("out", 4);
    var other = Simulator.load(PtxParser.parse(COUNTER), memory);
    assertNotEquals(program.variables().get("count"), other.variables().get("count"));
    run(program, "next", out);
    assertTrue(run(other, "read", program.variables().get("count").address(), out).ok());
    assertEquals(41, at(out));
  }

  @Test
  void onlyWhatALaunchUsesIsTouched() {
    memory.allocate("unused", 1 << 30);
    long out = memory.allocate("out", 4);
    run(program, "next", out);
    assertEquals(Set.of(out, program.variables().get("count").address()), Set.copyOf(touched));
  }

  @Test
  void memoryIsUndefinedUntilSomethingWritesIt() {
    long in = memory.allocate("in", 4);
    long out = memory.allocate("out", 4);
    assertEquals(List.of(Finding.Kind.UNINITIALIZED_READ),
        run(program, "read", in, out).findings().stream().map(Finding::kind).toList());
    long written = memory.allocate("written", 4);
    memory.initialise(written);
    assertTrue(run(program, "read", written, out).ok());
  }

  @Test
  void freedMemoryAndAddressesOfTheProcessAreOutOfBounds() {
    long out = memory.allocate("out", 4);
    long freed = memory.allocate("freed", 4);
    memory.free(freed);
    for (long address : new long[] {freed, 0x7f00_1234_5678L, out + 4}) {
      assertEquals(List.of(Finding.Kind.OUT_OF_BOUNDS),
          run(program, "read", address, out).findings().stream().map(Finding::kind).toList());
    }
  }

  @Test
  void memoryCanHaveAnAddressOfTheProcess() {
    long address = 5L << 40;
    memory.allocateAt(address, "managed", 4);
    assertTrue(run(program, "next", address).ok());
    assertEquals(41, at(address));
    assertThrows(IllegalArgumentException.class, () -> memory.allocateAt(address + 4, "inside", 4));
    assertThrows(IllegalArgumentException.class, () -> memory.allocateAt(1L << 50, "beyond", 4));
  }

  @Test
  void anAddressThatIsFreeCanBeAnAllocationAgain() {
    long address = memory.allocate("first", 4);
    assertThrows(IllegalArgumentException.class, () -> memory.allocateAt(address, "second", 8));
    memory.free(address);
    memory.allocateAt(address, "second", 8);
    assertTrue(run(program, "next", address + 4).ok());
  }

  @Test
  void aCooperativeLaunchHasItsWorkspace() {
    long out = memory.allocate("out", 4);
    var launch = new Launch("", "next", Dim3.ONE, Dim3.ONE, Dim3.ONE, 0, Map.of(), List.of(Launch.Argument.u64(out)))
        .with(LaunchFeature.COOPERATIVE);
    assertTrue(program.run(launch, SimulatorOptions.defaults().withSanitizer(true)).ok());
    assertEquals(41, at(out));
  }
}
