package tilewright.device.assembly;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * {@code nvdisasm} of a CUDA toolkit, which names the source line of each instruction, or {@code cuobjdump}, which does
 * not (CUDA Binary Utilities).
 */
public final class Disassembler {
  private static final Pattern SOURCE = Pattern.compile("\\s*//## File \"([^\"]*)\", line (\\d+).*");
  private static final Pattern INSTRUCTION = Pattern.compile("\\s*/\\*([0-9a-f]{4,})\\*/\\s+(.*?)\\s*;.*");
  private static final Pattern LABEL = Pattern.compile("(\\.L_\\w+):");

  private final Path program;
  private final boolean lines;

  private Disassembler(Path program) {
    this.program = program;
    this.lines = !program.getFileName().toString().contains("cuobjdump");
  }

  /** Looks on {@code PATH}, under {@code CUDA_HOME} and {@code /usr/local/cuda*}, for {@code nvdisasm} first. */
  public static Optional<Disassembler> find() {
    return Toolkit.find("nvdisasm").or(() -> Toolkit.find("cuobjdump")).map(Disassembler::new);
  }

  /** A program at a place that the user names. */
  public static Disassembler at(Path program) {
    return new Disassembler(program);
  }

  /**
   * One instruction of machine code.
   *
   * @param address in the kernel, hexadecimal
   * @param label in front of it; empty for none
   * @param file the file that it comes from; empty where that is unknown
   * @param line in that file
   */
  public record Instruction(String address, String label, String text, String file, int line) {}

  /**
   * Disassembles machine code.
   *
   * @throws IOException if the program does not run, or fails
   */
  public List<Instruction> disassemble(byte[] cubin) throws IOException {
    var file = Files.createTempFile("tilewright", ".cubin");
    try {
      Files.write(file, cubin);
      var run = Toolkit.run(lines ? List.of(program.toString(), "-c", "-g", file.toString())
          : List.of(program.toString(), "-sass", file.toString()));
      if (run.exit() != 0) throw new IOException(program + " ended with " + run.exit() + ": " + run.log().strip());
      return parse(run.log());
    } finally {
      Files.delete(file);
    }
  }

  /** Reads what {@code nvdisasm -c -g} prints. */
  static List<Instruction> parse(String text) {
    var instructions = new ArrayList<Instruction>();
    var file = "";
    var label = "";
    int line = 0;
    boolean annotated = false;
    for (var row : text.lines().toList()) {
      var source = SOURCE.matcher(row);
      var target = LABEL.matcher(row.strip());
      var instruction = INSTRUCTION.matcher(row);
      if (source.matches()) {
        // Of a chain of inlined calls the first is the innermost.
        if (!annotated) {
          file = source.group(1);
          line = Integer.parseInt(source.group(2));
        }
        annotated = true;
      } else if (target.matches()) {
        label = target.group(1);
      } else if (instruction.matches()) {
        instructions.add(new Instruction(instruction.group(1), label, instruction.group(2), file, line));
        label = "";
        annotated = false;
      }
    }
    return instructions;
  }

  @Override
  public String toString() {
    return program.toString();
  }
}
