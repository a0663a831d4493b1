package tilewright.cli.kernel;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.device.assembly.Disassembler;
import tilewright.kernel.CompiledKernel;
import tilewright.kernels.registry.KernelRegistry;

/** {@code tilewright sass}: a kernel's machine code beside what it comes from. */
@Command(name = "sass", description = {
    "Print a kernel's machine code, with the lines of Java and of PTX that it comes from.",
    "This needs nvdisasm of a CUDA toolkit on the PATH, under CUDA_HOME or in /usr/local/cuda*. Where there is only "
        + "cuobjdump, the code is printed without lines."})
@Examples({"sass vector_add", "sass sm80_gemm --set order=NT"})
public final class SassCommand implements Callable<Integer> {
  private final Console console;

  @Mixin
  private final KernelChoice choice;

  @Option(names = "--disassembler", paramLabel = "FILE", description = "The nvdisasm or cuobjdump to use.")
  private Optional<Path> disassembler = Optional.empty();

  public SassCommand(Console console, KernelRegistry registry) {
    this.console = console;
    this.choice = new KernelChoice(registry);
  }

  /**
   * The machine code of a kernel.
   *
   * @param blocks of instructions that come from one line
   */
  record Row(String kernel, String arch, Map<String, String> settings, String assembler, String disassembler,
      List<SassListing.Block> blocks) {}

  @Override
  public Integer call() {
    var program = disassembler.map(Disassembler::at).or(Disassembler::find).orElseThrow(() ->
        CommandFailure.environmentLacks("no nvdisasm or cuobjdump on the PATH, under CUDA_HOME or in /usr/local/cuda*: "
            + "install NVIDIA's package cuda-nvdisasm, or name one with --disassembler"));
    var kernel = choice.prepare().kernel();
    return switch (Assembler.find().assembleWithLines(kernel.ptx(), kernel.module().target())) {
      case Assembly.Unavailable(var reason) -> throw CommandFailure.environmentLacks(reason);
      case Assembly.Rejected(var log, var assembler) -> {
        console.note(assembler + " rejects " + kernel.name() + ": " + log.strip());
        yield Exit.CHECK_FAILED;
      }
      case Assembly.Assembled assembled -> {
        report(kernel, assembled, program);
        yield Exit.OK;
      }
    };
  }

  private void report(CompiledKernel kernel, Assembly.Assembled assembled, Disassembler program) {
    var listing = SassListing.of(instructions(assembled.cubin(), program), kernel.ptx());
    var row = new Row(choice.kernel().name(), kernel.module().target(), choice.settings(),
        assembled.assembler().toString(), program.toString(), listing.blocks());
    console.result(row, "%s for %s: %d instructions, assembled by %s%n%s".formatted(row.kernel, row.arch,
        listing.instructions(), row.assembler, listing.toText()));
  }

  private static List<Disassembler.Instruction> instructions(byte[] cubin, Disassembler program) {
    try {
      var instructions = program.disassemble(cubin);
      if (!instructions.isEmpty()) return instructions;
      throw CommandFailure.environmentLacks(program + " printed no instruction: is it a nvdisasm or cuobjdump that "
          + "knows this architecture?");
    } catch (IOException e) {
      throw CommandFailure.environmentLacks("the machine code cannot be disassembled: " + e.getMessage());
    }
  }
}
