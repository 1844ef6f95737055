# Says of each text, one a line on standard input, whether the schema accepts the document: "yes" or "no" a line. JSON is read as Python
# reads it, which is laxer than the program: NaN, 1e999 and double keys pass.
#   validate.py SCHEMA [DEFINITION]     DEFINITION: the name of one of the schema's $defs, instead of the whole
import json
import sys

from jsonschema import Draft202012Validator

sys.setrecursionlimit(20000)  # a shape may be 64 deep, and each level costs Python many calls
schema = json.load(open(sys.argv[1], encoding="utf-8"))
Draft202012Validator.check_schema(schema)
if len(sys.argv) > 2:
    schema = {"$schema": schema["$schema"], "$defs": schema["$defs"], "properties": schema["properties"], "$ref": "#/$defs/" + sys.argv[2]}
validator = Draft202012Validator(schema)
for line in sys.stdin:
    print("yes" if validator.is_valid(json.loads(line)) else "no")
