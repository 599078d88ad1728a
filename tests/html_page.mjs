// Proves: the page of `rigor export --format html` evaluates the motion that `--format csv --rate` does, in every
// branch, to single precision; and its drawing part is a valid script. Usage: node html_page.mjs RIGOR SOURCE_DIR.
import {execFileSync} from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import vm from "node:vm";

const kSingle = 4e-7;  // Relative rounding of a few operations on control points in single precision.
const [rigor, source] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "rigor_page_"));
const at = name => path.join(folder, name);
const call = (...words) => {
  try { execFileSync(rigor, words, {stdio: "ignore"}); } catch (error) { if (error.status !== 5) throw error; }
};

function check(words) {
  call(...words, "--force", "--quiet", "-o", at("run.rigor"));
  call("export", at("run.rigor"), "--format", "html", "-o", at("run.html"));
  call("export", at("run.rigor"), "--format", "csv", "-o", at("csv"), "--rate", "401");
  const page = fs.readFileSync(at("run.html"), "utf8");
  const script = id => page.match(new RegExp(`<script[^>]*id="${id}">([^]*?)</script>`))[1];
  new vm.Script(script("drawing"));
  const context = vm.createContext({atob, Uint8Array, Float32Array, Float64Array, Uint32Array, Math, Map});
  vm.runInContext(script("motion") + "\nglobalThis.motion = motion;", context);
  const model = context.motion.open(JSON.parse(script("run")));
  const lines = fs.readFileSync(at("csv/states.csv"), "utf8").trim().split("\n");
  const [header, ...rows] = lines.map(line => line.split(","));
  let compared = 0;
  for (const cells of rows) {
    const row = Object.fromEntries(header.map((name, k) => [name, cells[k]]));
    const body = model.run.bodies.findIndex(one => one.name === row.body);
    const pose = context.motion.poseAt(model, row.branch, body, Number(row.time));
    const found = [...pose.p, ...pose.q], size = 1 + Math.max(...found.map(Math.abs));
    ["px", "py", "pz", "qw", "qx", "qy", "qz"].forEach((name, k) => {
      if (!(Math.abs(found[k] - Number(row[name])) <= kSingle * size))
        throw Error(`${words}: ${row.body} at ${row.time} s: ${name} is ${found[k]}, exported as ${row[name]}`);
    });
    ++compared;
  }
  if (compared < 60) throw Error(`${words}: only ${compared} states were compared`);
  return model.branches.size;
}

try {
  check(["run", path.join(source, "scenes/die.yaml")]);
  if (check(["explore", path.join(source, "scenes/box-and-wall.yaml"), "--max-branches", "4", "--samples", "20"]) < 2)
    throw Error("the explored scene has no second branch");
} finally {
  fs.rmSync(folder, {recursive: true});
}
