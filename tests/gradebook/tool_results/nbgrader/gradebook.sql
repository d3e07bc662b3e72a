BEGIN TRANSACTION;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL);
INSERT INTO "alembic_version" VALUES('e43177bfe90b');
CREATE TABLE assignment (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	duedate DATETIME, 
	course_id VARCHAR(128) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name), 
	FOREIGN KEY(course_id) REFERENCES course (id)
);
INSERT INTO "assignment" VALUES('0d76ddba0ec0408e87dfee4abb572265','ps1',NULL,'c');
CREATE TABLE base_cell (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	notebook_id VARCHAR(32) NOT NULL, 
	type VARCHAR(50), 
	PRIMARY KEY (id), 
	UNIQUE (name, notebook_id, type), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "base_cell" VALUES('fd02ccffca38409bb49525d1966232d9','q1','84d9c70c804c4b3fb99d7d8f80fb59a1','GradeCell');
INSERT INTO "base_cell" VALUES('ff41311731624a23bd50c84c4f1e5f34','q2','84d9c70c804c4b3fb99d7d8f80fb59a1','GradeCell');
INSERT INTO "base_cell" VALUES('06a4426f3e3948bd9ee4235725df5e59','q3','84d9c70c804c4b3fb99d7d8f80fb59a1','GradeCell');
INSERT INTO "base_cell" VALUES('5301f43444e6407d8226e172f07a6f1a','square','84d9c70c804c4b3fb99d7d8f80fb59a1','SolutionCell');
INSERT INTO "base_cell" VALUES('7c12f89e6a2046a595f82ec44706cde1','q2','84d9c70c804c4b3fb99d7d8f80fb59a1','SolutionCell');
CREATE TABLE comment (
	id VARCHAR(32) NOT NULL, 
	notebook_id VARCHAR(32), 
	cell_id VARCHAR(32), 
	auto_comment TEXT, 
	manual_comment TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (cell_id, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES submitted_notebook (id), 
	FOREIGN KEY(cell_id) REFERENCES base_cell (id)
);
INSERT INTO "comment" VALUES('6fc27d612fe747c685441747ebf0e1cb','2509dca5ad164ab2aecb4b7a79088938','5301f43444e6407d8226e172f07a6f1a',NULL,NULL);
INSERT INTO "comment" VALUES('a684a66cd5354bd6ad04334b4a5883f5','2509dca5ad164ab2aecb4b7a79088938','7c12f89e6a2046a595f82ec44706cde1',NULL,NULL);
INSERT INTO "comment" VALUES('d20b1c5986b44381b7669cc7fe7dc00a','011fa8898ec048019f6cad47a7bd9c6c','5301f43444e6407d8226e172f07a6f1a','No response.',NULL);
INSERT INTO "comment" VALUES('ee2b1358600c468a82326e68ed519ac9','011fa8898ec048019f6cad47a7bd9c6c','7c12f89e6a2046a595f82ec44706cde1','No response.',NULL);
INSERT INTO "comment" VALUES('eb50fe2c92b644558b2dd1e3ec17c5c3','8127192dcc0f4166959a116666c8faec','5301f43444e6407d8226e172f07a6f1a',NULL,NULL);
INSERT INTO "comment" VALUES('b0e51990829b4775a8ea8a419ee00a1c','8127192dcc0f4166959a116666c8faec','7c12f89e6a2046a595f82ec44706cde1',NULL,NULL);
CREATE TABLE course (
	id VARCHAR(128) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (id)
);
INSERT INTO "course" VALUES('c');
INSERT INTO "course" VALUES('default_course');
CREATE TABLE grade (
	id VARCHAR(32) NOT NULL, 
	notebook_id VARCHAR(32), 
	cell_id VARCHAR(32), 
	auto_score FLOAT, 
	manual_score FLOAT, 
	extra_credit FLOAT, 
	needs_manual_grade BOOLEAN NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (cell_id, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES submitted_notebook (id), 
	FOREIGN KEY(cell_id) REFERENCES base_cell (id)
);
INSERT INTO "grade" VALUES('d4c1231eec544f338f5ac54feaeee869','2509dca5ad164ab2aecb4b7a79088938','fd02ccffca38409bb49525d1966232d9',2.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('ccccf094bbc64061b4647ebf252c0520','2509dca5ad164ab2aecb4b7a79088938','ff41311731624a23bd50c84c4f1e5f34',NULL,NULL,NULL,1);
INSERT INTO "grade" VALUES('ca83dbdbbc3f4d829b44570ac21e4090','2509dca5ad164ab2aecb4b7a79088938','06a4426f3e3948bd9ee4235725df5e59',1.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('d150325783984f49b03fc79283f89ae7','011fa8898ec048019f6cad47a7bd9c6c','fd02ccffca38409bb49525d1966232d9',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('872fd65defa24385b5f54f865328f1a9','011fa8898ec048019f6cad47a7bd9c6c','ff41311731624a23bd50c84c4f1e5f34',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('36e06bdc34e14c27b63e89f8e4159deb','011fa8898ec048019f6cad47a7bd9c6c','06a4426f3e3948bd9ee4235725df5e59',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('e3ab2ef138b24387b05b0fbb3556001d','8127192dcc0f4166959a116666c8faec','fd02ccffca38409bb49525d1966232d9',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('b9a162e46f3c431298258d0630d4f6ae','8127192dcc0f4166959a116666c8faec','ff41311731624a23bd50c84c4f1e5f34',NULL,NULL,NULL,1);
INSERT INTO "grade" VALUES('a53efe0b5f1444b4b1c3463c4c7cc0f2','8127192dcc0f4166959a116666c8faec','06a4426f3e3948bd9ee4235725df5e59',1.0,NULL,NULL,0);
CREATE TABLE grade_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO "grade_cells" VALUES('fd02ccffca38409bb49525d1966232d9',2.0,'code');
INSERT INTO "grade_cells" VALUES('ff41311731624a23bd50c84c4f1e5f34',3.0,'markdown');
INSERT INTO "grade_cells" VALUES('06a4426f3e3948bd9ee4235725df5e59',1.0,'code');
CREATE TABLE notebook (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	assignment_id VARCHAR(32), 
	kernelspec VARCHAR(1024), 
	PRIMARY KEY (id), 
	UNIQUE (name, assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignment (id)
);
INSERT INTO "notebook" VALUES('84d9c70c804c4b3fb99d7d8f80fb59a1','tiny','0d76ddba0ec0408e87dfee4abb572265','{"display_name": "Python 3", "language": "python", "name": "python3"}');
CREATE TABLE solution_cells (
	id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO "solution_cells" VALUES('5301f43444e6407d8226e172f07a6f1a');
INSERT INTO "solution_cells" VALUES('7c12f89e6a2046a595f82ec44706cde1');
CREATE TABLE source_cell (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	locked BOOLEAN NOT NULL, 
	source TEXT, 
	checksum VARCHAR(128), 
	notebook_id VARCHAR(32), 
	PRIMARY KEY (id), 
	UNIQUE (name, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "source_cell" VALUES('24d89797e2d24ab6be91d2daa10d4f76','square','code',0,'def square(x):
    # YOUR CODE HERE
    raise NotImplementedError()','70386027f04d045b2d7be9751bcbb8e1','84d9c70c804c4b3fb99d7d8f80fb59a1');
INSERT INTO "source_cell" VALUES('3ac893f0c89644408d5627d91e7cdf32','q1','code',1,'assert square(2)==4
### BEGIN HIDDEN TESTS
assert square(-3)==9
### END HIDDEN TESTS','6070d05c53129eead9847f92ec06cb95','84d9c70c804c4b3fb99d7d8f80fb59a1');
INSERT INTO "source_cell" VALUES('865251f207ac4c109eefee083fc5b1cd','q2','markdown',0,'YOUR ANSWER HERE','2e2e58fce78dcd0cde54add5bc207c44','84d9c70c804c4b3fb99d7d8f80fb59a1');
INSERT INTO "source_cell" VALUES('6fe728c2e26b48898d8400f58fa54782','q3','code',1,'assert square(0)==0','693ab647ddd8a14ff2ba51e3edcb688a','84d9c70c804c4b3fb99d7d8f80fb59a1');
CREATE TABLE student (
	id VARCHAR(128) NOT NULL, 
	first_name VARCHAR(128), 
	last_name VARCHAR(128), 
	email VARCHAR(128), 
	lms_user_id VARCHAR(128), 
	PRIMARY KEY (id)
);
INSERT INTO "student" VALUES('bitdiddle',NULL,NULL,NULL,NULL);
INSERT INTO "student" VALUES('blank',NULL,NULL,NULL,NULL);
INSERT INTO "student" VALUES('hacker',NULL,NULL,NULL,NULL);
CREATE TABLE submitted_assignment (
	id VARCHAR(32) NOT NULL, 
	assignment_id VARCHAR(32), 
	student_id VARCHAR(128), 
	timestamp DATETIME, 
	extension DATETIME, 
	PRIMARY KEY (id), 
	UNIQUE (assignment_id, student_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	FOREIGN KEY(student_id) REFERENCES student (id)
);
INSERT INTO "submitted_assignment" VALUES('1520b21452234256a32ed6c4443eb92d','0d76ddba0ec0408e87dfee4abb572265','bitdiddle',NULL,NULL);
INSERT INTO "submitted_assignment" VALUES('daa33096b0ef4e72b4ee979ebe39d1f7','0d76ddba0ec0408e87dfee4abb572265','blank',NULL,NULL);
INSERT INTO "submitted_assignment" VALUES('35351c813fdc4708873db3b766b3b996','0d76ddba0ec0408e87dfee4abb572265','hacker',NULL,NULL);
CREATE TABLE submitted_notebook (
	id VARCHAR(32) NOT NULL, 
	assignment_id VARCHAR(32), 
	notebook_id VARCHAR(32), 
	flagged BOOLEAN, 
	late_submission_penalty FLOAT, 
	PRIMARY KEY (id), 
	UNIQUE (notebook_id, assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES submitted_assignment (id), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "submitted_notebook" VALUES('2509dca5ad164ab2aecb4b7a79088938','1520b21452234256a32ed6c4443eb92d','84d9c70c804c4b3fb99d7d8f80fb59a1',0,NULL);
INSERT INTO "submitted_notebook" VALUES('011fa8898ec048019f6cad47a7bd9c6c','daa33096b0ef4e72b4ee979ebe39d1f7','84d9c70c804c4b3fb99d7d8f80fb59a1',0,NULL);
INSERT INTO "submitted_notebook" VALUES('8127192dcc0f4166959a116666c8faec','35351c813fdc4708873db3b766b3b996','84d9c70c804c4b3fb99d7d8f80fb59a1',0,NULL);
CREATE TABLE task_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
COMMIT;
