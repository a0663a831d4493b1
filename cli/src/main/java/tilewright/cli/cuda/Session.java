package tilewright.cli.cuda;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tilewright.cli.io.CommandFailure;
import tilewright.ptx.Dim3;
import tilewright.ptx.Function;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchFeature;
import tilewright.ptx.PtxParser;
import tilewright.ptx.PtxSyntaxException;
import tilewright.ptx.PtxType;
import tilewright.simulator.Finding;
import tilewright.simulator.ResidentProgram;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.Simulator;
import tilewright.simulator.UnsupportedPtxException;

/** One process of the program: its device memory, its modules and the requests that it sends. */
final class Session implements AutoCloseable {
  /** Values of {@code cudaError_t}. */
  private static final int OUT_OF_MEMORY = 2;
  private static final int INVALID_CONFIGURATION = 9;
  private static final int INVALID_SYMBOL = 13;
  private static final int NO_KERNEL_IMAGE = 209;
  private static final int INVALID_PTX = 218;
  private static final int NOT_FOUND = 500;
  private static final int ILLEGAL_ADDRESS = 700;
  private static final int LAUNCH_TIMEOUT = 702;
  private static final int ASSERT = 710;
  private static final int ILLEGAL_INSTRUCTION = 715;
  private static final int MISALIGNED_ADDRESS = 716;
  private static final int LAUNCH_FAILURE = 719;
  private static final int NOT_SUPPORTED = 801;
  private static final int BUFFER_BYTES = 1 << 16;

  private final SocketChannel channel;
  private final InputStream requests;
  private final SimulatedDevice device;
  private final Watching watching;
  private final Report report;
  private final SharedMemory memory;
  private final Optional<LaunchRecorder> recorder;
  private final List<ResidentProgram> modules = new ArrayList<>();
  private final List<Kernel> kernels = new ArrayList<>();

  private record Kernel(ResidentProgram module, Function function, List<Parameter> parameters) {}

  private record Parameter(int offset, int bytes) {}

  private Session(SocketChannel channel, SimulatedDevice device, Watching watching, Report report)
      throws IOException {
    this.channel = channel;
    requests = new BufferedInputStream(Channels.newInputStream(channel), BUFFER_BYTES);
    this.device = device;
    this.watching = watching.on(device.chip().capability());
    this.report = report;
    var hello = Frame.read(requests).operands();
    memory = new SharedMemory(hello.getInt(), hello.getInt(), hello.getLong());
    recorder = watching.record().map(folder -> new LaunchRecorder(folder, memory));
    device.describe().write(channel);
  }

  /** Serves a process until it ends. */
  static void serve(SocketChannel channel, SimulatedDevice device, Watching watching, Report report)
      throws IOException {
    try (channel; var session = new Session(channel, device, watching, report)) {
      session.serve();
    }
  }

  private void serve() {
    try {
      while (true) serve(Frame.read(requests));
    } catch (IOException _) {
      // The process has ended, maybe before it was answered.
    }
  }

  private void serve(Frame frame) throws IOException {
    var in = frame.operands();
    switch (frame.operation()) {
      case Frame.ALLOCATE -> allocate(in).write(channel);
      case Frame.FREE -> memory.free(in.getLong());
      case Frame.MODULE -> module(in).write(channel);
      case Frame.KERNEL -> kernel(frame).write(channel);
      case Frame.VARIABLE -> variable(frame).write(channel);
      case Frame.LAUNCH -> launch(in).write(channel);
      case Frame.FETCH -> {
        memory.fetch(in.getLong(), in.getLong(), in.getLong());
        new Frame.Answer(0).write(channel);
      }
      case Frame.STORE -> memory.store(in.getLong(), in.getLong(), in.getLong());
      case Frame.RELEASE -> memory.release(in.getLong());
      case Frame.ENCODE -> encode(in).write(channel);
      case Frame.HEAP_LIMIT -> memory.memory().heap().limit(in.getLong());
      case Frame.SHARE -> memory.share(in.getLong());
      case Frame.OPEN_SHARED -> openShared(in).write(channel);
      case Frame.UNSUITABLE -> report.unsuitable(frame.text());
      default -> throw new IllegalStateException("the library sent operation " + frame.operation()
          + ", which is not known");
    }
  }

  private Frame.Answer allocate(ByteBuffer in) {
    try {
      return new Frame.Answer(0).put(memory.allocate(in.getLong(), in.getLong(), (int) in.getLong(), in.getInt() != 0));
    } catch (IllegalStateException e) {
      report.refused(e.getMessage());
      return new Frame.Answer(OUT_OF_MEMORY);
    }
  }

  private Frame.Answer openShared(ByteBuffer in) throws IOException {
    try {
      return new Frame.Answer(0).put(memory.open(in.getInt(), in.getInt(), in.getLong(), (int) in.getLong()));
    } catch (IllegalStateException e) {
      report.refused(e.getMessage());
      return new Frame.Answer(OUT_OF_MEMORY);
    }
  }

  private Frame.Answer module(ByteBuffer in) {
    var image = new byte[in.remaining()];
    in.get(image);
    if (isMachineCode(image)) {
      report.refused("a module is machine code (a cubin): load PTX, or a fat binary with PTX for " + device.target());
      return new Frame.Answer(NO_KERNEL_IMAGE);
    }
    try {
      String text;
      if (FatBinary.isOne(image)) {
        var binary = FatBinary.read(image);
        var best = binary.best(device.chip().capability());
        if (best.isEmpty()) return withoutPtx(binary);
        text = best.get().text();
      } else {
        text = new String(image, StandardCharsets.UTF_8);
      }
      modules.add(Simulator.load(PtxParser.parse(text), memory.memory()));
      return new Frame.Answer(0).put(modules.size() - 1);
    } catch (PtxSyntaxException | IllegalArgumentException | UnsupportedPtxException e) {
      report.refused("a module cannot be loaded: " + e.getMessage());
      return new Frame.Answer(INVALID_PTX);
    }
  }

  /** Whether an image is an ELF file. */
  private static boolean isMachineCode(byte[] image) {
    return image.length >= 4 && image[0] == 0x7F && image[1] == 'E' && image[2] == 'L' && image[3] == 'F';
  }

  private Frame.Answer withoutPtx(FatBinary binary) {
    var found = new ArrayList<String>();
    for (var text : binary.texts()) found.add("PTX for sm_" + text.architecture());
    for (int cubin : binary.cubins()) found.add("a cubin for sm_" + cubin);
    report.refused("the program has no PTX that sm_" + device.chip().capability() + " can run, but "
        + (found.isEmpty() ? "nothing" : String.join(", ", found)) + ": compile with -gencode arch=" + device.target()
        + ",code=" + device.target());
    return new Frame.Answer(NO_KERNEL_IMAGE);
  }

  private Frame.Answer kernel(Frame frame) {
    var module = modules.get(frame.operands().getInt());
    var name = frame.text();
    var function = module.kernel(name);
    // Programs may ask for a kernel to find out whether there is one.
    if (function.isEmpty()) return new Frame.Answer(NOT_FOUND);
    try {
      var resources = module.resources(name);
      var parameters = parameters(function.get());
      kernels.add(new Kernel(module, function.get(), parameters));
      int end = parameters.isEmpty() ? 0 : parameters.getLast().offset() + parameters.getLast().bytes();
      var answer = new Frame.Answer(0).put(kernels.size() - 1).put(resources.staticSharedBytes())
          .put(resources.localBytes()).put(mostThreads(function.get())).put(end).put(parameters.size());
      for (var p : parameters) answer.put(p.offset()).put(p.bytes());
      return answer;
    } catch (UnsupportedPtxException | IllegalArgumentException e) {
      report.refused("kernel " + name + ": " + e.getMessage());
      return new Frame.Answer(NOT_SUPPORTED);
    }
  }

  /** The threads of a CTA that the kernel was compiled for, at most; 0 for any number. */
  private static int mostThreads(Function function) {
    return function.directive("maxntid").map(n -> (int) n.stream().mapToLong(v -> v).reduce(1, (a, b) -> a * b))
        .orElse(0);
  }

  private static List<Parameter> parameters(Function function) {
    var all = new ArrayList<Parameter>();
    int at = 0;
    for (var p : function.parameters()) {
      int alignment = p.alignment() > 0 ? p.alignment() : p.type().bytes() * p.vector();
      at = Math.ceilDiv(at, alignment) * alignment;
      all.add(new Parameter(at, (int) p.bytes()));
      at += (int) p.bytes();
    }
    return List.copyOf(all);
  }

  private Frame.Answer variable(Frame frame) {
    var module = modules.get(frame.operands().getInt());
    var found = module.variables().get(frame.text());
    if (found == null) return new Frame.Answer(INVALID_SYMBOL);
    memory.back(found.address(), frame.operands().getLong(), found.bytes(), frame.operands().getInt() != 0);
    return new Frame.Answer(0).put(found.address()).put((long) found.bytes());
  }

  private static Dim3 dimensions(ByteBuffer in) {
    return new Dim3(in.getInt(), in.getInt(), in.getInt());
  }

  private Frame.Answer launch(ByteBuffer in) {
    var kernel = kernels.get(in.getInt());
    var name = kernel.function.name();
    var grid = dimensions(in);
    var block = dimensions(in);
    var cluster = dimensions(in);
    int shared = in.getInt();
    Set<LaunchFeature> features = in.getInt() != 0 ? Set.of(LaunchFeature.COOPERATIVE) : Set.of();
    in.getInt();
    var parameters = in.slice().order(in.order());
    var arguments = kernel.parameters.stream().map(p -> argument(parameters, p)).toList();
    var launch = new Launch("", name, grid, block, cluster, shared, features, Set.of(), Map.of(), arguments);
    boolean watched = watching.watches(name);
    long number = report.launched(watched);
    var record = watched ? begun(number, kernel, launch) : Optional.<LaunchRecorder.Begun>empty();
    var printed = new StringBuilder();
    try {
      var options = watching.optionsFor(name).withOutput(printed::append);
      boolean counts = watched && options.profile();
      var result = kernel.module.run(launch, options.withProfile(counts && report.profiles().lacks(name)));
      if (counts) report.profiles().ran(name, result);
      report.found(name, number, result.findings());
      record.ifPresent(r -> recorded(r, number, kernel));
      return answer(status(result), false, result.instructions(), printed);
    } catch (UnsupportedPtxException e) {
      report.refused("kernel " + name + ": " + e.getMessage());
      return answer(NOT_SUPPORTED, true, 0, printed);
    } catch (IllegalArgumentException e) {
      report.refused("launch " + number + " of kernel " + name + ": " + e.getMessage());
      return answer(INVALID_CONFIGURATION, true, 0, printed);
    }
  }

  private Optional<LaunchRecorder.Begun> begun(long number, Kernel kernel, Launch launch) {
    try {
      return recorder.map(r -> r.begin(number, kernel.module, launch));
    } catch (CommandFailure e) {
      report.refused("launch " + number + " is not recorded: " + e.getMessage());
      return Optional.empty();
    }
  }

  private void recorded(LaunchRecorder.Begun record, long number, Kernel kernel) {
    List<String> others;
    try {
      others = recorder.orElseThrow().finish(record, memory.touchedNow(), kernel.module, device.chip().capability());
    } catch (CommandFailure e) {
      report.refused("launch " + number + " is recorded without its results: " + e.getMessage());
      return;
    }
    if (others.isEmpty()) return;
    report.note("launch " + number + " of kernel " + kernel.function.name() + " finds " + String.join(", ", others)
        + " by pointers in memory: its record cannot be run again");
  }

  private Frame.Answer answer(int status, boolean refused, long instructions, CharSequence printed) {
    var answer = new Frame.Answer(status).put(refused ? 1 : 0).put(device.nanos(instructions));
    var touched = memory.endLaunch();
    answer.put(touched.size());
    touched.forEach(answer::put);
    var text = printed.toString().getBytes(StandardCharsets.UTF_8);
    return answer.put(text.length).put(text);
  }

  private static Launch.Argument argument(ByteBuffer parameters, Parameter p) {
    var fields = new ArrayList<Launch.Argument.Field>();
    int at = 0;
    for (; at + Long.BYTES <= p.bytes; at += Long.BYTES) {
      fields.add(new Launch.Argument.Field(at, Launch.Argument.u64(parameters.getLong(p.offset + at))));
    }
    for (; at < p.bytes; at++) {
      long value = Byte.toUnsignedLong(parameters.get(p.offset + at));
      fields.add(new Launch.Argument.Field(at, new Launch.Argument.Scalar(PtxType.U8, value)));
    }
    return new Launch.Argument.Struct(p.bytes, fields);
  }

  /** The error that a GPU gives for what ended a launch. */
  private static int status(SimulationResult result) {
    return result.findings().stream().map(Finding::kind).filter(Finding.Kind::stops).findFirst().map(kind ->
        switch (kind) {
          case OUT_OF_BOUNDS, NO_PEER_ACCESS -> ILLEGAL_ADDRESS;
          case DEADLOCK, INSTRUCTION_LIMIT, TIME_LIMIT -> LAUNCH_TIMEOUT;
          case ASSERTION -> ASSERT;
          case INVALID_OPERATION -> ILLEGAL_INSTRUCTION;
          case MISALIGNED -> MISALIGNED_ADDRESS;
          case MEMORY_LIMIT -> OUT_OF_MEMORY;
          default -> LAUNCH_FAILURE;
        }).orElse(0);
  }

  private Frame.Answer encode(ByteBuffer in) {
    try {
      var map = TensorMaps.encode(in, device.chip().capability());
      recorder.ifPresent(r -> r.encoded(map));
      return new Frame.Answer(0).put(map.bytes());
    } catch (IllegalArgumentException e) {
      report.refused("cuTensorMapEncodeTiled: " + e.getMessage());
      return new Frame.Answer(1);
    }
  }

  @Override
  public void close() {
    memory.close();
  }
}
