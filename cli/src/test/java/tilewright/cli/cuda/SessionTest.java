package tilewright.cli.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.io.Console;
import tilewright.kernel.Chip;
import tilewright.simulator.SimulatorOptions;

/** Speaks with a session as the library in a program does. */
@EnabledOnOs(OS.LINUX)
class SessionTest {
  private static final int REGION = 1 << 16;
  private static final String PTX = """
      .version 8.0
      .target sm_90
      .address_size 64
      .global .align 4 .u32 step = {3};
      .visible .entry add(.param .u64 out, .param .u32 n) {
        .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<3>;
        ld.param.u64 %rd0, [out];
        ld.param.u32 %r0, [n];
        mov.u32 %r1, %tid.x;
        setp.ge.u32 %p, %r1, %r0;
        @%p ret;
        mul.wide.u32 %rd1, %r1, 4;
        add.u64 %rd2, %rd0, %rd1;
        ld.global.u32 %r2, [%rd2];
        ld.global.u32 %r3, [step];
        add.u32 %r2, %r2, %r3;
        st.global.u32 [%rd2], %r2;
        ret;
      }
      """;

  @TempDir
  Path folder;

  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final Report report = new Report(new Console(InputStream.nullInputStream(), System.out,
      new PrintStream(err, true, StandardCharsets.UTF_8)));
  private SocketChannel channel;
  private FileChannel file;
  private MappedByteBuffer region;
  private FutureTask<Void> session;

  @BeforeEach
  void connect() throws IOException {
    file = FileChannel.open(folder.resolve("memory"), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
        StandardOpenOption.WRITE);
    region = file.map(FileChannel.MapMode.READ_WRITE, 0, REGION);
    region.order(ByteOrder.LITTLE_ENDIAN);
    var address = UnixDomainSocketAddress.of(folder.resolve("socket"));
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(address);
      channel = SocketChannel.open(address);
      var accepted = server.accept();
      session = new FutureTask<>(() -> {
        Session.serve(accepted, SimulatedDevice.of(Chip.H100),
            Watching.everything(SimulatorOptions.defaults().withSanitizer(true)), report);
        return null;
      });
      Thread.ofPlatform().start(session);
    }
    var device = ask(Frame.HELLO, operands().putInt((int) ProcessHandle.current().pid()).putInt(descriptor())
        .putLong(REGION));
    assertEquals(90, device.getLong());
    assertEquals(132, device.getLong());
  }

  @AfterEach
  void disconnect() throws Exception {
    channel.close();
    session.get();
    file.close();
  }

  /** The number under which this process holds the memory file open. */
  private int descriptor() throws IOException {
    try (var all = Files.list(Path.of("/proc/self/fd"))) {
      return all.filter(link -> link.toFile().getAbsoluteFile().exists()).filter(link -> {
        try {
          return Files.readSymbolicLink(link).endsWith("memory");
        } catch (IOException _) {
          return false;
        }
      }).map(link -> Integer.parseInt(link.getFileName().toString())).findFirst().orElseThrow();
    }
  }

  private static ByteBuffer operands() {
    return ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
  }

  private void tell(int operation, ByteBuffer operands) throws IOException {
    operands.flip();
    var frame = ByteBuffer.allocate(8 + operands.remaining()).order(ByteOrder.LITTLE_ENDIAN).putInt(operation)
        .putInt(operands.remaining()).put(operands).flip();
    while (frame.hasRemaining()) channel.write(frame);
  }

  private ByteBuffer ask(int operation, ByteBuffer operands) throws IOException {
    return ask(operation, operands, 0);
  }

  private ByteBuffer ask(int operation, ByteBuffer operands, int status) throws IOException {
    tell(operation, operands);
    var answer = Frame.read(Channels.newInputStream(channel));
    assertEquals(status, answer.operation());
    return answer.operands();
  }

  private long allocate(long offset, long bytes) throws IOException {
    return ask(Frame.ALLOCATE, operands().putLong(0).putLong(offset).putLong(bytes).putInt(0)).getLong();
  }

  private static ByteBuffer named(int module, String name) {
    return operands().putInt(module).putInt(name.length()).put(name.getBytes(StandardCharsets.US_ASCII));
  }

  private ByteBuffer launch(int threads, long address, int n, int status) throws IOException {
    var operands = operands().putInt(0);
    for (int extent : new int[] {1, 1, 1, threads, 1, 1, 1, 1, 1}) operands.putInt(extent);
    return ask(Frame.LAUNCH, operands.putInt(0).putInt(0).putInt(12).putLong(address).putInt(n), status);
  }

  @Test
  void memoryAndVariablesOutliveLaunches() throws IOException {
    long first = allocate(0, 40);
    long second = allocate(4096, 40);
    assertTrue(first != second && first >>> 48 != 0, "no address of a process");
    assertEquals(0, ask(Frame.MODULE, operands().put(PTX.getBytes(StandardCharsets.US_ASCII))).getInt());
    ask(Frame.KERNEL, named(0, "add"));
    for (int i = 0; i < 10; i++) region.putInt(4096 + 4 * i, i);
    tell(Frame.RELEASE, operands().putLong(second).putLong(0).putLong(40));
    var answer = launch(32, second, 10, 0);
    assertEquals(0, answer.getInt());
    assertTrue(answer.getLong() > 0, "some time has passed");
    var variable = ask(Frame.VARIABLE, named(0, "step").putLong(8192).putInt(0));
    long step = variable.getLong();
    assertEquals(4, variable.getLong());
    region.putInt(8192, 100);
    tell(Frame.STORE, operands().putLong(step).putLong(0).putLong(4));
    launch(32, second, 10, 0);
    ask(Frame.FETCH, operands().putLong(second).putLong(0).putLong(40));
    assertArrayEquals(IntStream.range(0, 10).map(i -> i + 103).toArray(),
        IntStream.range(0, 10).map(i -> region.getInt(4096 + 4 * i)).toArray());
    assertTrue(report.clean(), err::toString);
  }

  @Test
  void anOverrunIsAnIllegalAddressAndAFinding() throws IOException {
    long address = allocate(0, 40);
    ask(Frame.MODULE, operands().put(PTX.getBytes(StandardCharsets.US_ASCII)));
    ask(Frame.KERNEL, named(0, "add"));
    tell(Frame.RELEASE, operands().putLong(address).putLong(0).putLong(40));
    launch(32, address, 11, 700);
    assertTrue(err.toString().contains("reads 4 bytes out of bounds: buffer 'allocation 1' of 40 bytes, offset 40"),
        err::toString);
  }

  @Test
  void memoryThatNobodyWroteIsAFinding() throws IOException {
    long address = allocate(0, 40);
    ask(Frame.MODULE, operands().put(PTX.getBytes(StandardCharsets.US_ASCII)));
    ask(Frame.KERNEL, named(0, "add"));
    launch(32, address, 10, 0);
    assertTrue(err.toString().contains("UNINITIALIZED_READ"), err::toString);
  }

  @Test
  void aModuleThatCannotBeReadIsRefused() throws IOException {
    ask(Frame.MODULE, operands().put("no PTX".getBytes(StandardCharsets.US_ASCII)), 218);
    assertTrue(err.toString().contains("a module cannot be loaded"), err::toString);
  }
}
