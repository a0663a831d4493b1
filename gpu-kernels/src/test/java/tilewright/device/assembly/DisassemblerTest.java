package tilewright.device.assembly;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.device.assembly.Disassembler.Instruction;

/** The text of {@code nvdisasm -c -g}: a stand-in prints it, since few machines have a CUDA toolkit. */
class DisassemblerTest {
  @TempDir
  Path folder;

  private static String text() throws IOException {
    try (var text = DisassemblerTest.class.getResourceAsStream("nvdisasm.txt")) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void instructionsHaveTheInnermostLineTheirLabelAndNoEncoding() throws IOException {
    assertEquals(List.of(new Instruction("0000", "", "MOV R1, c[0x0][0x28]", "VectorAdd.java", 48),
        new Instruction("0010", "", "S2R R0, SR_CTAID.X", "VectorAdd.java", 48),
        new Instruction("0020", "", "S2R R3, SR_TID.X", "/home/me/VectorAdd.java", 45),
        new Instruction("0030", "", "@P0 BRA `(.L_x_0)", "/home/me/VectorAdd.java", 45),
        new Instruction("0040", ".L_x_0", "LDG.E.128 R4, [R4.64]", "VectorAdd.java", 57),
        new Instruction("0050", ".L_x_1", "BRA `(.L_x_1)", "VectorAdd.java", 57)), Disassembler.parse(text()));
  }

  @Test
  void theProgramIsGivenTheCodeAndAskedForLines() throws IOException {
    var listing = Files.writeString(folder.resolve("listing"), text());
    var program = script("nvdisasm", "[ \"$1 $2\" = '-c -g' ] && [ \"$(cat \"$3\")\" = code ] && cat " + listing);
    assertEquals(6, Disassembler.at(program).disassemble("code".getBytes(StandardCharsets.UTF_8)).size());
    var dump = script("cuobjdump", "[ \"$1\" = -sass ] && cat " + listing);
    assertEquals(6, Disassembler.at(dump).disassemble(new byte[1]).size());
  }

  @Test
  void whatItComplainsOfIsTold() throws IOException {
    var program = script("nvdisasm", "echo 'nvdisasm fatal : unsupported'; exit 255");
    var e = assertThrows(IOException.class, () -> Disassembler.at(program).disassemble(new byte[1]));
    assertTrue(e.getMessage().endsWith("ended with 255: nvdisasm fatal : unsupported"), e.getMessage());
  }

  /** The table of lines names the file of the {@code .loc} directives. */
  @Test
  void machineCodeNamesLines() {
    var ptx = """
        .version 8.0
        .target sm_80
        .address_size 64
        .file 1 "Here.java"
        .visible .entry k(.param .u64 out)
        {
          .reg .b64 %rd<2>;
          .loc 1 7 0
          ld.param.u64 %rd1, [out];
          .loc 1 8 0
          st.global.u64 [%rd1], %rd1;
          .loc 1 9 0
          ret;
        }
        """;
    var cubin = JcudaPtxCompiler.find().orElseThrow().assemble(ptx, "sm_80", true).cubin();
    var text = new String(cubin, StandardCharsets.ISO_8859_1);
    assertTrue(text.contains(".debug_line") && text.contains("Here.java"));
  }

  private Path script(String name, String text) throws IOException {
    var program = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + text + "\n");
    assertTrue(program.toFile().setExecutable(true));
    return program;
  }
}
