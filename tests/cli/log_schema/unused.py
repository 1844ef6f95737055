# Names what a log in JSON Lines does not use, one a line: of the operations (heights, in space and with a shape each count), shapes,
# blends and falloffs of the schema.
#   unused.py SCHEMA ACCEPTED LOG     ACCEPTED: edits, one a line, that show which kinds of brush an operation has
import json
import sys


def shapes(shape):
    yield shape
    inner = shape.get("of", [])
    for child in inner if isinstance(inner, list) else [inner]:
        yield from shapes(child)


def names(edit):
    """What an edit uses, defaults too."""
    if "shape" in edit:
        yield "operation", edit["op"] + " with a shape"
        for shape in shapes(edit["shape"]):
            yield "shape", shape["type"]
    else:
        place = edit["at"] if "at" in edit else edit["path"][0]
        yield "operation", edit["op"] + (" of heights" if len(place) == 2 else " in space")
        if edit["op"] not in ("paint", "redistance"):
            yield "falloff", edit.get("falloff", "smooth")
    for blended in [edit, *(shapes(edit["shape"]) if "shape" in edit else [])]:
        if "blend" in blended:
            yield "blend", blended["blend"]["type"]


schema = json.load(open(sys.argv[1], encoding="utf-8"))["$defs"]
edit = schema["edit"]["properties"]
expected = {("falloff", name) for name in edit["falloff"]["enum"]}
expected |= {("shape", name) for name in schema["shape"]["properties"]["type"]["enum"]}
expected |= {("blend", name) for name in schema["blend"]["properties"]["type"]["enum"]}
accepted = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
expected |= {pair for one in accepted for pair in names(one) if pair[0] == "operation"}
untried = set(edit["op"]["enum"]) - {one["op"] for one in accepted}
for line in open(sys.argv[3], encoding="utf-8"):
    one = json.loads(line)
    if "op" in one:
        expected -= set(names(one))
for kind, name in sorted(expected | {("operation", name) for name in untried}):
    print(kind, name)
