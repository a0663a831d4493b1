package tilewright.ptx;

import java.util.List;

/** A statement of a function's body. */
public sealed interface Statement
    permits Instruction, Variable, Statement.Label, Statement.Registers, Statement.Block, Statement.Location,
        Statement.Comment, Statement.Pragma, Statement.BranchTargets, Statement.CallPrototype,
        Statement.CallTargets {

  /** {@code name:}. */
  record Label(String name) implements Statement {}

  /**
   * {@code .reg .b32 %r<10>;} declares %r0…%r9; count 0 declares the one register {@code name}.
   *
   * @param vector elements of a vector register, 1 for a scalar
   */
  record Registers(PtxType type, int vector, String name, int count) implements Statement {
    public Registers(PtxType type, String name, int count) {
      this(type, 1, name, count);
    }
  }

  /** {@code { … }}: a scope of its own for registers, variables and labels. */
  record Block(List<Statement> body) implements Statement {
    public Block {
      body = List.copyOf(body);
    }
  }

  /** {@code .loc file line column}: the source position of what follows. */
  record Location(int file, int line, int column) implements Statement {}

  /** A comment on a line of its own; text without the slashes, one line. */
  record Comment(String text) implements Statement {}

  /** {@code .pragma "text";}. */
  record Pragma(String text) implements Statement {}

  /**
   * {@code name: .callprototype (.param .b32 _) _ (.param .b64 _);}: what a call through a register passes.
   *
   * @param noReturn whether the callee never returns
   */
  record CallPrototype(String name, List<Variable> results, List<Variable> parameters, boolean noReturn)
      implements Statement {
    public CallPrototype {
      results = List.copyOf(results);
      parameters = List.copyOf(parameters);
    }
  }

  /** {@code name: .calltargets f, g;}: the functions that a call through a register may reach. */
  record CallTargets(String name, List<String> functions) implements Statement {
    public CallTargets {
      functions = List.copyOf(functions);
    }
  }

  /** {@code name: .branchtargets a, b, c;} for {@code brx.idx}. */
  record BranchTargets(String name, List<String> labels) implements Statement {
    public BranchTargets {
      labels = List.copyOf(labels);
    }
  }
}
