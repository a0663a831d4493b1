package tilewright.ops.collectives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** NCCL's functions, by the Foreign Function API (nccl.h). */
@SuppressWarnings("restricted")
final class Nccl {
  static final int UNIQUE_ID_BYTES = 128;
  static final int SUCCESS = 0;
  static final int IN_PROGRESS = 7;

  private static final MemoryLayout UNIQUE_ID = MemoryLayout.structLayout(
      MemoryLayout.sequenceLayout(UNIQUE_ID_BYTES, JAVA_BYTE));

  private final SymbolLookup library;
  private final String name;
  private final Map<String, MethodHandle> functions = new ConcurrentHashMap<>();

  private Nccl(SymbolLookup library, String name) {
    this.library = library;
    this.name = name;
  }

  /** @throws CollectiveException when there is none, with where it was looked for */
  static Nccl load(Optional<Path> given, NcclSearch search) {
    withoutMulticast();
    var file = given.or(NcclSearch::given);
    if (file.isPresent()) {
      return open(file.get()).orElseThrow(() -> new CollectiveException(Files.exists(file.get())
          ? file.get() + " is no library that this machine loads: name NCCL's " + NcclSearch.NAME
          : "no file " + file.get() + ": name NCCL's " + NcclSearch.NAME));
    }
    try {
      return new Nccl(SymbolLookup.libraryLookup(NcclSearch.NAME, Arena.global()), NcclSearch.NAME);
    } catch (IllegalArgumentException _) {
      return search.files().stream().map(Nccl::open).flatMap(Optional::stream).findFirst()
          .orElseThrow(() -> new CollectiveException(search.explanation()));
    }
  }

  private static Optional<Nccl> open(Path file) {
    try {
      var path = file.toAbsolutePath();
      return Optional.of(new Nccl(SymbolLookup.libraryLookup(path, Arena.global()), path.toString()));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /** Turns NVLink multicast off unless the user has chosen: other users of a shared host may lose it by ours. */
  private static void withoutMulticast() {
    var linker = Linker.nativeLinker();
    try (var arena = Arena.ofConfined()) {
      var set = linker.downcallHandle(linker.defaultLookup().findOrThrow("setenv"),
          FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
      invoke(set, arena.allocateFrom("NCCL_NVLS_ENABLE"), arena.allocateFrom("0"), 0);
    }
  }

  /**
   * Calls a function. Integers, handles and addresses all go as {@code long}; the callee reads the lower half of a
   * register for an {@code int}.
   *
   * @return an {@code ncclResult_t}
   */
  int result(String symbol, long... arguments) {
    var function = functions.computeIfAbsent(symbol, _ -> {
      var layouts = new MemoryLayout[arguments.length];
      Arrays.fill(layouts, JAVA_LONG);
      return handle(symbol, FunctionDescriptor.of(JAVA_INT, layouts));
    });
    return (int) invoke(function, Arrays.stream(arguments).boxed().toArray());
  }

  /** @throws CollectiveException unless the function succeeds, or goes on */
  void call(String symbol, long... arguments) {
    check(symbol, result(symbol, arguments));
  }

  void check(String symbol, int result) {
    if (result == SUCCESS || result == IN_PROGRESS) return;
    throw new CollectiveException(symbol + ": " + text(result));
  }

  /** Describes a result in NCCL's words, with its last error. */
  String text(int result) {
    var error = string(invoke(functions.computeIfAbsent("ncclGetErrorString",
        s -> handle(s, FunctionDescriptor.of(ADDRESS, JAVA_INT))), result));
    var last = string(invoke(functions.computeIfAbsent("ncclGetLastError",
        s -> handle(s, FunctionDescriptor.of(ADDRESS, JAVA_LONG))), 0L)).strip();
    return last.isEmpty() ? error : error + " (" + last + ")";
  }

  private static String string(Object address) {
    var text = (MemorySegment) address;
    return text.equals(MemorySegment.NULL) ? "" : text.reinterpret(Long.MAX_VALUE).getString(0);
  }

  /** The version, such as 2.28.9; numbers are 10000 · major + 100 · minor + patch from 2.9 on. */
  String version() {
    try (var arena = Arena.ofConfined()) {
      var number = arena.allocate(JAVA_INT);
      call("ncclGetVersion", number.address());
      int version = number.get(JAVA_INT, 0);
      return version / 10_000 + "." + version / 100 % 100 + "." + version % 100;
    }
  }

  /** Returns a new unique id, by which the ranks of a communicator find each other. */
  byte[] uniqueId() {
    try (var arena = Arena.ofConfined()) {
      var id = arena.allocate(UNIQUE_ID);
      call("ncclGetUniqueId", id.address());
      return id.toArray(JAVA_BYTE);
    }
  }

  /**
   * Begins to make a communicator on the calling thread's device, without waiting for other ranks.
   *
   * @param id {@value #UNIQUE_ID_BYTES} bytes
   * @return its handle
   */
  long initialise(byte[] id, int rank, int size) {
    try (var arena = Arena.ofConfined()) {
      var descriptor = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, UNIQUE_ID, JAVA_INT, JAVA_LONG);
      var function = functions.computeIfAbsent("ncclCommInitRankConfig", symbol -> handle(symbol, descriptor));
      var handle = arena.allocate(JAVA_LONG);
      var unique = arena.allocate(UNIQUE_ID).copyFrom(MemorySegment.ofArray(id));
      check("ncclCommInitRankConfig", (int) invoke(function, handle.address(), size, unique, rank,
          configuration(arena).address()));
      return handle.get(JAVA_LONG, 0);
    }
  }

  /** An {@code ncclConfig_t} as NCCL 2.17 has it, which later ones complete: calls do not block. */
  private static MemorySegment configuration(Arena arena) {
    long bytes = 40;
    int magic = 0xcafebeef;
    int version = 21700;
    int undefined = Integer.MIN_VALUE;
    var configuration = arena.allocate(bytes, Long.BYTES);
    configuration.set(JAVA_LONG, 0, bytes);
    int[] numbers = {magic, version, 0, undefined, undefined, undefined};
    for (int i = 0; i < numbers.length; i++) configuration.set(JAVA_INT, 8 + 4L * i, numbers[i]);
    return configuration;
  }

  /** The state of a communicator: {@link #IN_PROGRESS} while it is made, or a call goes on. */
  int state(long communicator) {
    try (var arena = Arena.ofConfined()) {
      var state = arena.allocate(JAVA_INT);
      call("ncclCommGetAsyncError", communicator, state.address());
      return state.get(JAVA_INT, 0);
    }
  }

  private MethodHandle handle(String symbol, FunctionDescriptor descriptor) {
    var address = library.find(symbol).orElseThrow(() -> new CollectiveException(name + " has no " + symbol
        + ": NCCL 2.17 or newer is needed"));
    return Linker.nativeLinker().downcallHandle(address, descriptor);
  }

  private static Object invoke(MethodHandle function, Object... arguments) {
    try {
      return function.invokeWithArguments(arguments);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a call of NCCL failed", e);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
