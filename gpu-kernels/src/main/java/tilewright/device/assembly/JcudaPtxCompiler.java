package tilewright.device.assembly;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import jcuda.nvptxcompiler.JNvPTXCompiler;
import jcuda.nvptxcompiler.nvPTXCompilerHandle;

/** NVIDIA's PTX compiler library as JCuda's natives carry it (PTX Compiler API of CUDA 12.0). Needs no driver. */
final class JcudaPtxCompiler implements AssemblerBackend {
  private static final int SUCCESS = 0;

  /** Targets from Ampere on, by the release notes of CUDA 12.0; older ones are of no use to kernels here. */
  private static final List<String> TARGETS = List.of("sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a");

  private final AssemblerFacts facts;

  private JcudaPtxCompiler(AssemblerFacts facts) {
    this.facts = facts;
  }

  static Optional<AssemblerBackend> find() {
    try {
      JcudaNatives.unpack("JNvPTXCompiler");
      int[] major = {0};
      int[] minor = {0};
      if (JNvPTXCompiler.nvPTXCompilerGetVersion(major, minor) != SUCCESS) return Optional.empty();
      var version = major[0] + "." + minor[0];
      return Optional.of(new JcudaPtxCompiler(
          new AssemblerFacts("JCuda's PTX compiler", version, "jcuda-natives", TARGETS, "8.0")));
    } catch (LinkageError _) {
      return Optional.empty();
    }
  }

  @Override
  public AssemblerFacts facts() {
    return facts;
  }

  @Override
  public Output assemble(String ptx, String target, boolean lines) {
    // The compiler reads to the zero byte, whatever length it is told.
    var text = (ptx + "\0").getBytes(StandardCharsets.UTF_8);
    var handle = new nvPTXCompilerHandle();
    int created = JNvPTXCompiler.nvPTXCompilerCreate(handle, text.length, text);
    if (created != SUCCESS) return new Output(new byte[0], "nvPTXCompilerCreate returned " + created);
    try {
      var name = "--gpu-name=" + target;
      String[] options = lines ? new String[] {name, "--verbose", LINES} : new String[] {name, "--verbose"};
      int compiled = JNvPTXCompiler.nvPTXCompilerCompile(handle, options.length, options);
      if (compiled != SUCCESS) return new Output(new byte[0], errors(handle, compiled));
      return new Output(program(handle), information(handle));
    } finally {
      JNvPTXCompiler.nvPTXCompilerDestroy(handle);
    }
  }

  private static byte[] program(nvPTXCompilerHandle handle) {
    long[] size = {0};
    JNvPTXCompiler.nvPTXCompilerGetCompiledProgramSize(handle, size);
    var program = new byte[(int) size[0]];
    JNvPTXCompiler.nvPTXCompilerGetCompiledProgram(handle, program);
    return program;
  }

  private static String information(nvPTXCompilerHandle handle) {
    long[] size = {0};
    JNvPTXCompiler.nvPTXCompilerGetInfoLogSize(handle, size);
    var log = new byte[(int) size[0] + 1];
    if (size[0] > 0) JNvPTXCompiler.nvPTXCompilerGetInfoLog(handle, log);
    return text(log);
  }

  private static String errors(nvPTXCompilerHandle handle, int result) {
    long[] size = {0};
    JNvPTXCompiler.nvPTXCompilerGetErrorLogSize(handle, size);
    var log = new byte[(int) size[0] + 1];
    if (size[0] > 0) JNvPTXCompiler.nvPTXCompilerGetErrorLog(handle, log);
    return size[0] > 0 ? text(log) : "nvPTXCompilerCompile returned " + result + " without a log";
  }

  private static String text(byte[] log) {
    return new String(log, StandardCharsets.UTF_8).replace("\0", "").strip();
  }
}
